"use client";

import clsx from "clsx";
import type { PlaybackController } from "./playback-controller";
import { timecode } from "./frames";
import { type Chapter, chapterAt } from "./shortcuts";
import { usePlaybackState, usePlaybackTime } from "./use-playback";

interface ScrubberProps {
  controller: PlaybackController;
  chapters: readonly Chapter[];
  ticks?: readonly Chapter[];
}

/** The time bar: one stretch for each chapter, under a range input that any pointer or key can move. */
export function Scrubber({ controller, chapters, ticks = [] }: ScrubberProps) {
  const { duration } = usePlaybackState(controller);
  const time = usePlaybackTime(controller, (now) => now);
  const at = chapterAt(chapters, time);
  const named = chapters[at] ? `, ${chapters[at].label}` : "";
  return (
    <div className="group relative h-6">
      <div aria-hidden className="absolute inset-x-0 top-1/2 flex h-1.5 -translate-y-1/2 gap-0.5">
        {stretches(chapters, duration).map(({ start, end }, i) => (
          <span
            key={start}
            style={{ flexGrow: Math.max(end - start, 0.001) }}
            className={clsx(
              "relative min-w-px basis-0 overflow-hidden rounded-full",
              i === at ? "bg-line-strong" : "bg-rest-tint",
            )}
          >
            <span
              className="absolute inset-0 origin-left bg-accent"
              style={{ transform: `scaleX(${share(time, start, end)})` }}
            />
          </span>
        ))}
      </div>
      {duration > 0 &&
        ticks.map(({ label, start }) => (
          <span
            key={label}
            aria-hidden
            className="pointer-events-none absolute bottom-0 h-1.5 w-0.5 -translate-x-1/2 rounded-full bg-ink-soft"
            style={{ left: `${(start / duration) * 100}%` }}
          />
        ))}
      <span
        aria-hidden
        className="pointer-events-none absolute top-1/2 size-3.5 -translate-1/2 rounded-full border-2 border-surface bg-accent shadow-card group-has-focus-visible:outline-2 group-has-focus-visible:outline-offset-1 group-has-focus-visible:outline-accent"
        style={{ left: `${duration > 0 ? (time / duration) * 100 : 0}%` }}
      />
      <input
        type="range"
        min={0}
        max={duration}
        step="any"
        value={time}
        onChange={(event) => controller.seek(Number(event.target.value))}
        aria-label="Position"
        aria-valuetext={`${timecode(time)} of ${timecode(duration)}${named}`}
        className="absolute inset-0 w-full cursor-pointer opacity-0"
      />
    </div>
  );
}

function stretches(chapters: readonly Chapter[], duration: number) {
  if (chapters.length === 0) return [{ start: 0, end: duration }];
  return chapters.map(({ start }, i) => ({ start, end: chapters[i + 1]?.start ?? duration }));
}

function share(time: number, start: number, end: number): number {
  return end > start ? Math.min(1, Math.max(0, (time - start) / (end - start))) : 0;
}
