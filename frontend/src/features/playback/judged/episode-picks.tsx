import { Columns2 } from "lucide-react";
import type { EvaluatedEpisode, EvaluationJudgement } from "@/api/types";
import { decimal } from "@/lib/number";
import { Button } from "@/ui/button";
import { ReturnHistogram } from "./return-histogram";

interface EpisodePicksProps {
  judgement: EvaluationJudgement;
  episodes: readonly EvaluatedEpisode[];
  /** Plays an episode by its index, from 1; null where there is no video. */
  onPlay: ((episode: number) => void) | null;
  /** Puts two episodes beside each other, by index; null where there are no videos and step records of them. */
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
