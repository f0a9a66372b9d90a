"use client";

import { Pause, Play } from "lucide-react";
import type { SessionClient } from "@/lib/session/session-client";
import { useStore } from "@/lib/use-store";
import { Key } from "../player/transport";
import { rateChoices } from "./rates";

interface PlayKeyProps {
  goesOn: boolean;
  disabled: boolean;
  onPress: () => void;
}

/** Plays or pauses. */
export function PlayKey({ goesOn, disabled, onPress }: PlayKeyProps) {
  const Icon = goesOn ? Pause : Play;
  return (
    <Key label={goesOn ? "Pause" : "Play"} onPress={onPress} disabled={disabled} strong>
      <Icon aria-hidden className="size-4 fill-current" />
    </Key>
  );
}

/** Selects the speed of a session as a multiple of its default. */
export function SpeedSelect({ client, disabled }: { client: SessionClient; disabled: boolean }) {
  const { hello, fps } = useStore(client.state);
  return (
    <select
      aria-label="Speed"
      disabled={disabled}
      value={fps}
      onChange={(event) => client.setRate(Number(event.target.value))}
      className="h-8 w-16 rounded-md border border-control-line bg-raised px-1 text-xs tabular-nums disabled:opacity-55 max-md:h-10"
    >
      {rateChoices(hello?.fps ?? fps, fps).map((choice) => (
        <option key={choice.fps} value={choice.fps}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
