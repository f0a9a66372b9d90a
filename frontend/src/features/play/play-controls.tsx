"use client";

import { StepBack, StepForward } from "lucide-react";
import type { Actor } from "@/api/types";
import { useStore } from "@/lib/use-store";
import type { StageCommands } from "@/player/live/keys";
import { PlayKey, SpeedSelect } from "@/player/live/transport";
import type { SessionClient } from "@/player/session/session-client";
import { Key } from "@/player/video/transport";
import { Segmented } from "@/ui/segmented";

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
  const { phase, hello, playing, actor } = useStore(client.state);
  const live = phase === "live";
  const goesOn = live && playing;
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
      <PlayKey
        goesOn={goesOn}
        disabled={!live}
        onPress={goesOn ? client.pause : actor === "person" ? commands.begin : client.play}
      />
      <Key label="One step back" disabled={!live} onPress={client.back}>
        <StepBack aria-hidden className={icon} />
      </Key>
      <Key label="One step" disabled={!live} onPress={client.forward}>
        <StepForward aria-hidden className={icon} />
      </Key>
      <SpeedSelect client={client} disabled={!live} />
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
