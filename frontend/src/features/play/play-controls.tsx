"use client";

import clsx from "clsx";
import { Pause, Play, StepBack, StepForward } from "lucide-react";
import { rateChoices } from "@/components/live/rates";
import { Key } from "@/components/player";
import { Segmented } from "@/components/ui/segmented";
import type { Actor } from "@/lib/api";
import type { SessionClient } from "@/lib/session";
import { useStore } from "@/lib/store";
import type { StageCommands } from "@/components/live/keys/use-stage-commands";

interface PlayControlsProps {
  client: SessionClient;
  commands: StageCommands;
}

const icon = "size-4";
const ACTORS: readonly { value: Actor; label: string }[] = [
  { value: "person", label: "You" },
  { value: "policy", label: "Policy" },
  { value: "random", label: "Chance" },
];

/** Pause, single steps, speed, and at whose hands the controls are. */
export function PlayControls({ client, commands }: PlayControlsProps) {
  const { phase, hello, playing, fps, actor } = useStore(client.state);
  const live = phase === "live";
  const goesOn = live && playing;
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
      <Key
        label={goesOn ? "Pause" : "Play"}
        onPress={goesOn ? client.pause : actor === "person" ? commands.begin : client.play}
        disabled={!live}
        strong
      >
        {goesOn ? (
          <Pause aria-hidden className={clsx(icon, "fill-current")} />
        ) : (
          <Play aria-hidden className={clsx(icon, "fill-current")} />
        )}
      </Key>
      <Key label="One step back" disabled={!live} onPress={client.back}>
        <StepBack aria-hidden className={icon} />
      </Key>
      <Key label="One step" disabled={!live} onPress={client.forward}>
        <StepForward aria-hidden className={icon} />
      </Key>
      <select
        aria-label="Speed"
        disabled={!live}
        value={fps}
        onChange={(event) => client.setRate(Number(event.target.value))}
        className="h-8 w-16 rounded-md border border-control-line bg-raised px-1 text-xs tabular-nums disabled:opacity-55 max-md:h-10"
      >
        {rateChoices(hello?.fps ?? 30, fps).map((choice) => (
          <option key={choice.fps} value={choice.fps}>
            {choice.label}
          </option>
        ))}
      </select>
      <Segmented
        legend="Who plays"
        className="ml-auto"
        options={ACTORS.filter(
          ({ value }) => hello?.actors.includes(value) ?? value === "person",
        ).map((each) => ({ ...each, disabled: !live }))}
        value={actor}
        onChange={commands.handTo}
      />
    </div>
  );
}
