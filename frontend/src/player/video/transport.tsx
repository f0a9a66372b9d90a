"use client";

import clsx from "clsx";
import { Maximize, Pause, Play, Repeat, StepBack, StepForward } from "lucide-react";
import type { ReactNode } from "react";
import {
  type PlaybackController,
  RATES,
  timecode,
  usePlaybackState,
  usePlaybackTime,
} from "./playback-controller";

interface TransportProps {
  controller: PlaybackController;
  /** Without this element, there is no full-screen button. */
  onFullScreen?: () => void;
  /** Placed after the other buttons. */
  children?: ReactNode;
}

const icon = "size-4";

export function Transport({ controller, onFullScreen, children }: TransportProps) {
  const { playing, loop, rate, duration } = usePlaybackState(controller);
  const shown = usePlaybackTime(controller, timecode);
  return (
    <div className="flex flex-wrap items-center gap-x-0.5 gap-y-1.5">
      <Key label={playing ? "Pause" : "Play"} keys="Space" onPress={controller.toggle} strong>
        {playing ? (
          <Pause aria-hidden className={clsx(icon, "fill-current")} />
        ) : (
          <Play aria-hidden className={clsx(icon, "fill-current")} />
        )}
      </Key>
      <Key label="Previous frame" keys="ArrowLeft" onPress={() => controller.step(-1)}>
        <StepBack aria-hidden className={icon} />
      </Key>
      <Key label="Next frame" keys="ArrowRight" onPress={() => controller.step(1)}>
        <StepForward aria-hidden className={icon} />
      </Key>
      <span className="mx-1 grow text-xs whitespace-nowrap text-ink-soft tabular-nums max-md:order-first max-md:basis-full">
        {shown} <span className="text-ink-faint md:@max-sm:hidden">/ {timecode(duration)}</span>
      </span>
      <select
        aria-label="Speed"
        value={rate}
        onChange={(event) => controller.setRate(Number(event.target.value))}
        className="h-8 w-14 rounded-md border border-control-line bg-raised px-1 text-xs tabular-nums max-md:ml-auto max-md:h-10"
      >
        {RATES.map((value) => (
          <option key={value} value={value}>
            {value}×
          </option>
        ))}
      </select>
      <Key label="Loop" keys="R" pressed={loop} onPress={controller.toggleLoop}>
        <Repeat aria-hidden className={icon} />
      </Key>
      {onFullScreen && (
        <Key label="Full screen" keys="F" onPress={onFullScreen}>
          <Maximize aria-hidden className={icon} />
        </Key>
      )}
      {children}
    </div>
  );
}

interface KeyProps {
  label: string;
  keys?: string;
  pressed?: boolean;
  expanded?: boolean;
  /** Id of the element that the button opens. */
  controls?: string;
  strong?: boolean;
  disabled?: boolean;
  onPress: () => void;
  children: ReactNode;
}

/** A square button of a player. */
export function Key({
  label,
  keys,
  pressed,
  expanded,
  controls,
  strong,
  disabled,
  onPress,
  children,
}: KeyProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-controls={expanded ? controls : undefined}
      aria-keyshortcuts={keys}
      title={keys ? `${label} (${keys})` : label}
      onClick={onPress}
      disabled={disabled}
      className={clsx(
        "grid size-8 shrink-0 place-items-center rounded-md transition-colors disabled:opacity-55 max-md:size-10 max-[26rem]:size-9",
        strong
          ? "bg-accent text-accent-ink hover:bg-accent-strong"
          : pressed || expanded
            ? "bg-accent-tint text-accent-strong"
            : "text-ink-soft hover:bg-rest-tint hover:text-ink",
      )}
    >
      {children}
    </button>
  );
}
