import { Columns2 } from "lucide-react";
import type { EvaluatedEpisode, EvaluationJudgement } from "@/api/types";
import { decimal, plural } from "@/lib/number";
import { Button } from "@/ui/button";

interface EpisodePicksProps {
  judgement: EvaluationJudgement;
  episodes: readonly EvaluatedEpisode[];
  /** Plays an episode by its index, from 1; null if there is no video. */
  onPlay: ((episode: number) => void) | null;
  /** Puts two episodes side by side, by index; null without videos or step records of them. */
  onCompare: ((one: number, two: number) => void) | null;
}

const PICKS = [
  ["worst", "Worst"],
  ["median", "Median"],
  ["best", "Best"],
] as const;

/** The worst, the median and the best episode at a click, and how the returns are spread. */
export function EpisodePicks({ judgement, episodes, onPlay, onCompare }: EpisodePicksProps) {
  const { worst, best } = judgement.ranking;
  return (
    <section aria-label="Which episodes to watch" className="grid gap-3 @md:grid-cols-2">
      <div className="grid grid-cols-3 gap-1.5">
        {PICKS.map(([pick, label]) => {
          const index = judgement.ranking[pick];
          return (
            <button
              key={pick}
              type="button"
              disabled={!onPlay}
              onClick={() => onPlay?.(index)}
              className="min-w-0 rounded-md border border-line bg-raised px-2 py-1.5 text-left transition-colors enabled:hover:border-control-line enabled:hover:bg-sunken"
            >
              <span className="block text-xs text-ink-faint">{label}</span>
              <span className="block truncate text-sm font-medium tabular-nums">
                {decimal(episodes[index - 1]?.episode_return)}
              </span>
              <span className="block text-2xs text-ink-faint">episode {index}</span>
            </button>
          );
        })}
      </div>
      <ReturnHistogram bins={judgement.bins} onPick={onPlay} />
      {onCompare && worst !== best && (
        <Button
          size="sm"
          className="justify-self-start"
          icon={<Columns2 aria-hidden className="size-3.5" />}
          onClick={() => onCompare(worst, best)}
        >
          Worst beside best
        </Button>
      )}
    </section>
  );
}

interface ReturnHistogramProps {
  bins: EvaluationJudgement["bins"];
  /** null if there is no video. */
  onPick: ((episode: number) => void) | null;
}

/** A bar for each range of returns; a press on one plays its median episode. */
function ReturnHistogram({ bins, onPick }: ReturnHistogramProps) {
  const most = Math.max(1, ...bins.map(({ episodes }) => episodes.length));
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return null;
  return (
    <figure className="min-w-0">
      <ul aria-label="Returns of the episodes" className="flex h-14 items-end gap-px">
        {bins.map((bin) => {
          const name = `${range(bin)}: ${plural(bin.episodes.length, "episode")}`;
          return (
            <li key={bin.low} className="flex h-full min-w-0 flex-1 items-end">
              <button
                type="button"
                disabled={!onPick || bin.episodes.length === 0}
                aria-label={`Return ${name}`}
                title={name}
                onClick={() => onPick?.(middle(bin.episodes))}
                className="group flex h-full w-full items-end enabled:cursor-pointer"
              >
                <span
                  aria-hidden
                  style={{ height: `${(bin.episodes.length / most) * 100}%` }}
                  className="w-full rounded-t-sm bg-accent/60 transition-colors group-enabled:group-hover:bg-accent"
                />
              </button>
            </li>
          );
        })}
      </ul>
      <figcaption className="flex justify-between border-t border-line-strong pt-0.5 text-2xs text-ink-faint tabular-nums">
        <span>{decimal(first.low)}</span>
        <span>return</span>
        <span>{decimal(last.high)}</span>
      </figcaption>
    </figure>
  );
}

function range({ low, high }: { low: number; high: number }): string {
  return low === high ? decimal(low) : `${decimal(low)} to ${decimal(high)}`;
}

function middle(episodes: readonly number[]): number {
  return episodes[Math.floor((episodes.length - 1) / 2)] ?? 1;
}
