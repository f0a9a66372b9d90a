import clsx from "clsx";
import type { Run } from "@/api/types";
import type { SeriesStyles } from "./series-styles";
import { Swatch } from "./swatch";

interface PlayingRunsProps {
  runs: readonly Run[];
  /** How many can play at a time. */
  most: number;
  playing: readonly string[];
  seriesStyles: SeriesStyles;
  onChange: (playing: readonly string[]) => void;
}

/** Which runs play. One more than can play takes the place of the one that was chosen first. */
export function PlayingRuns({ runs, most, playing, seriesStyles, onChange }: PlayingRunsProps) {
  const toggle = (id: string) =>
    onChange(
      playing.includes(id)
        ? playing.filter((other) => other !== id)
        : [...playing.slice(playing.length >= most ? 1 : 0), id],
    );
  return (
    <div className="flex flex-col gap-1.5">
      <div role="group" aria-label="Runs that play" className="flex flex-wrap gap-1.5">
        {runs.map(({ id, name }) => {
          const plays = playing.includes(id);
          return (
            <button
              key={id}
              type="button"
              aria-pressed={plays}
              title={name}
              onClick={() => toggle(id)}
              className={clsx(
                "flex max-w-56 min-w-0 items-center gap-1.5 rounded-full border px-2.5 py-1 text-xs max-md:min-h-10",
                plays
                  ? "border-accent bg-accent-tint text-ink"
                  : "border-line text-ink-soft hover:border-line-strong hover:text-ink",
              )}
            >
              <Swatch seriesStyle={seriesStyles.get(id)} />
              <span className="truncate">{name}</span>
            </button>
          );
        })}
      </div>
      <p className="text-xs text-ink-faint">
        {playing.length} of {runs.length} runs play: the service allows {most}{" "}
        {most === 1 ? "session" : "sessions"} at a time (RLVIZ_MAX_SESSIONS).
      </p>
    </div>
  );
}
