"use client";

import { Pause, Play } from "lucide-react";
import { useStore } from "@/lib/use-store";
import type { SessionClient } from "../session/session-client";
import { Key } from "../video/transport";

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

/** Maximum steps per second of a session. */
const MOST_FPS = 60;

export interface RateChoice {
  fps: number;
  label: string;
}

/** Speeds to choose from as multiples of the session's default; `now` is always among them. Both are 0 until it begins. */
export function rateChoices(usual: number, now: number): RateChoice[] {
  if (usual <= 0) return [{ fps: now, label: "1×" }];
  const choices = [0.25, 0.5, 1, 2, 4]
    .map((share) => ({ fps: usual * share, label: `${share}×` }))
    .filter(({ fps }) => fps > 0 && fps <= MOST_FPS);
  if (choices.some(({ fps }) => fps === now) || now <= 0) return choices;
  const odd = { fps: now, label: `${Number((now / usual).toFixed(2))}×` };
  return [...choices, odd].sort((a, b) => a.fps - b.fps);
}
