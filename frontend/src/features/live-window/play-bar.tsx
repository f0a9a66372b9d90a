"use client";

import { Maximize, StepForward } from "lucide-react";
import { Key } from "@/components/player";
import { Segmented } from "@/components/ui/segmented";
import type { SessionClient } from "@/lib/session";
import { useStore } from "@/lib/store";
import { PlayKey, SpeedSelect } from "@/components/live/transport";

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
  const { phase, playing, greedy } = useStore(client.state);
  const live = phase === "live";
  const goesOn = live && playing && !frozen;
  const toggle = () => {
    if (goesOn) return client.pause();
    onLive();
    client.play();
  };
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
      <PlayKey goesOn={goesOn} disabled={!live} onPress={toggle} />
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
      <SpeedSelect client={client} disabled={!live} />
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
