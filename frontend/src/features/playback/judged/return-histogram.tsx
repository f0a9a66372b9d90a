import type { EvaluationJudgement } from "@/api/types";
import { decimal, plural } from "@/lib/number";

interface ReturnHistogramProps {
  bins: EvaluationJudgement["bins"];
  /** null where there is no video to jump in. */
  onPick: ((episode: number) => void) | null;
}

/** A bar for each range of returns; a press on one plays its median episode. */
export function ReturnHistogram({ bins, onPick }: ReturnHistogramProps) {
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
