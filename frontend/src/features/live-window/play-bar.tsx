"use client";

import clsx from "clsx";
import { Maximize, Pause, Play, StepForward } from "lucide-react";
import { Key } from "@/components/player";
import { Segmented } from "@/components/ui/segmented";
import type { SessionClient } from "@/lib/session";
import { useStore } from "@/lib/store";
import { rateChoices } from "@/components/live/rates";

interface PlayBarProps {
  client: SessionClient;
  /** A moment that was picked is shown: playing goes on from the live one. */
  frozen: boolean;
  onLive: () => void;
  onFullScreen: () => void;
}

const icon = "size-4";

/** Pause, one step, speed, how actions are chosen, and full screen. */
export function PlayBar({ client, frozen, onLive, onFullScreen }: PlayBarProps) {
  const { phase, hello, playing, fps, greedy } = useStore(client.state);
  const live = phase === "live";
  const goesOn = live && playing && !frozen;
  const toggle = () => {
    if (goesOn) return client.pause();
    onLive();
    client.play();
  };
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
      <Key label={goesOn ? "Pause" : "Play"} onPress={toggle} disabled={!live} strong>
        {goesOn ? (
          <Pause aria-hidden className={clsx(icon, "fill-current")} />
        ) : (
          <Play aria-hidden className={clsx(icon, "fill-current")} />
        )}
      </Key>
      <Key
        label="One step"
        disabled={!live}
        onPress={() => {
          onLive();
          client.forward();
        }}
      >
        <StepForward aria-hidden className={icon} />
      </Key>
      <select
        aria-label="Speed"
        disabled={!live}
        value={fps}
        onChange={(event) => client.setRate(Number(event.target.value))}
        className="h-8 w-16 rounded-md border border-control-line bg-raised px-1 text-xs tabular-nums disabled:opacity-55 max-md:h-10"
      >
        {rateChoices(hello?.fps ?? 15, fps).map((choice) => (
          <option key={choice.fps} value={choice.fps}>
            {choice.label}
          </option>
        ))}
      </select>
      <Key label="Full screen" onPress={onFullScreen}>
        <Maximize aria-hidden className={icon} />
      </Key>
      <Segmented
        legend="Actions"
        className="ml-auto"
        options={[
          { value: "greedy", label: "Greedy", disabled: !live },
          { value: "exploring", label: "Exploring", disabled: !live },
        ]}
        value={greedy ? "greedy" : "exploring"}
        onChange={(value) => client.setGreedy(value === "greedy")}
      />
    </div>
  );
}
