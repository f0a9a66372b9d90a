import clsx from "clsx";
import type { EvaluatedEpisode } from "@/lib/api";
import { count, decimal } from "@/lib/format";

interface EpisodeListProps {
  episodes: readonly EvaluatedEpisode[];
  /** Position of the one that plays. */
  current: number | null;
  onSeek: ((position: number) => void) | null;
}

export function EpisodeList({ episodes, current, onSeek }: EpisodeListProps) {
  return (
    <div>
      <div
        aria-hidden
        className="grid grid-cols-[1.5rem_1fr_1fr_5rem] gap-2 px-2 pb-1 text-right text-xs text-ink-faint"
      >
        <span className="text-left">#</span>
        <span>Return</span>
        <span>Length</span>
        <span>End</span>
      </div>
      <ol className="max-h-56 overflow-y-auto rounded-md border border-line">
        {episodes.map((episode, position) => (
          <li key={episode.index} className="border-line not-first:border-t">
            <button
              type="button"
              disabled={onSeek === null}
              aria-current={position === current ? "true" : undefined}
              aria-label={`Play episode ${position + 1}: return ${decimal(episode.episode_return)}, ${count(episode.episode_length)} steps`}
              onClick={() => onSeek?.(position)}
              className={clsx(
                "grid w-full grid-cols-[1.5rem_1fr_1fr_5rem] gap-2 px-2 py-1.5 text-right text-xs tabular-nums -outline-offset-2! transition-colors max-md:py-2.5",
                position === current ? "bg-accent-wash" : "enabled:hover:bg-sunken",
              )}
            >
              <span className="text-left text-ink-faint">{position + 1}</span>
              <span className="font-medium">{decimal(episode.episode_return)}</span>
              <span>{count(episode.episode_length)}</span>
              <span className="text-ink-soft">
                {episode.truncated ? "truncated" : "terminated"}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
