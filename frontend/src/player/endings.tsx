import { useQuery } from "@tanstack/react-query";
import { Flag, Play } from "lucide-react";
import { endingsQuery } from "@/api/evaluations";
import type { EpisodeEnding, EpisodeEndings } from "@/api/types";
import { Sparkline } from "@/charts/sparkline";
import { brief, decimal, NONE, plural, shareText } from "@/lib/number";
import { Button } from "@/ui/button";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { type JudgedRun, NOT_KEPT, shareOf, type WatchedEpisode } from "./judged";

interface EndingsProps {
  /** Of one environment. */
  runs: readonly JudgedRun[];
  onWatch: (episode: WatchedEpisode) => void;
}

/**
 * How the episodes of all evaluations of some runs end: share, trend over training, and an example. With several runs,
 * each has its own share and trend.
 */
export function Endings({ runs, onWatch }: EndingsProps) {
  const { data, error, refetch, isFetching } = useQuery(endingsQuery(runs.map(({ id }) => id)));
  if (error && !data)
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton className="h-24" />;
  if (data.endings.length === 0)
    return (
      <EmptyState icon={Flag} title="No recorded episode yet">
        How episodes end is read from their step records. Evaluate a policy to record some.
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label="How episodes end" className="flex flex-col gap-1">
        {data.endings.map((ending) => (
          <li
            key={`${ending.kind} ${ending.title}`}
            className="border-line py-1.5 not-first:border-t"
          >
            <Ending {...{ ending, runs, onWatch }} evaluations={data.evaluations} />
          </li>
        ))}
      </ul>
      <p className="text-xs text-ink-faint">
        {plural(data.episodes, "episode")} of {plural(data.evaluations.length, "evaluation")}
        {data.without_records > 0 && `; ${data.without_records} more have no step records`}.
      </p>
    </div>
  );
}

interface EndingProps {
  ending: EpisodeEnding;
  evaluations: EpisodeEndings["evaluations"];
  runs: readonly JudgedRun[];
  onWatch: (episode: WatchedEpisode) => void;
}

function Ending({ ending, evaluations, runs, onWatch }: EndingProps) {
  const { example, shares, share } = ending;
  return (
    <div className="flex items-center gap-3">
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2 text-sm">
          <span className="min-w-0 break-words">{ending.title}</span>
          <span className="ml-auto shrink-0 font-medium tabular-nums">{shareText(share)}</span>
        </p>
        <span aria-hidden className="mt-1 block h-1.5 overflow-hidden rounded-full bg-rest-tint">
          <span
            className="block h-full rounded-full bg-accent"
            style={{ width: `${share * 100}%` }}
          />
        </span>
        <p className="mt-1 text-xs text-ink-faint tabular-nums">
          {plural(ending.episodes, "episode")}, mean return {decimal(ending.mean_return)}
        </p>
        {runs.length > 1 && <SharesByRun {...{ ending, evaluations, runs }} />}
      </div>
      {runs.length === 1 && <Trend shares={shares} evaluations={evaluations} />}
      <Button
        size="sm"
        icon={<Play aria-hidden className="size-3.5" />}
        aria-label={`Watch an example: ${ending.title}`}
        title={example.has_video ? undefined : NOT_KEPT}
        onClick={() =>
          onWatch({
            run: example.run_id,
            evaluation: example.evaluation_id,
            frame: example.result.first_frame,
          })
        }
      >
        Watch
      </Button>
    </div>
  );
}

interface TrendProps {
  shares: readonly number[];
  evaluations: EpisodeEndings["evaluations"];
}

/** The share in each evaluation of one run. */
function Trend({ shares, evaluations }: TrendProps) {
  if (shares.length < 2) return null;
  const steps = evaluations.map(({ checkpoint_step: step }) => brief(step));
  const words = `Share by evaluation, from step ${steps[0]} to ${steps.at(-1)}: ${shares.map(shareText).join(", ")}`;
  return (
    <span title={words} className="w-20 shrink-0 text-accent">
      <Sparkline values={shares} label={words} className="h-7 w-full" />
    </span>
  );
}

function SharesByRun({ ending, evaluations, runs }: Omit<EndingProps, "onWatch">) {
  return (
    <ul aria-label="Share of each run" className="mt-1.5 flex flex-col gap-1 text-xs tabular-nums">
      {runs.map(({ id, name, mark }) => {
        const { share, shares } = shareOf(id, ending, evaluations);
        return (
          <li key={id} className="flex min-h-7 items-center gap-2">
            {mark}
            <span className="min-w-0 grow truncate text-ink-soft" title={name}>
              {name}
            </span>
            <Trend
              shares={shares}
              evaluations={evaluations.filter(({ run_id }) => run_id === id)}
            />
            <span className="w-10 shrink-0 text-right">
              {share === null ? NONE : shareText(share)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
