import { useQuery } from "@tanstack/react-query";
import { Flag, Play } from "lucide-react";
import { Sparkline } from "@/components/charts/sparkline/sparkline";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { Skeleton } from "@/components/ui/skeleton";
import { endingsQuery, type EpisodeEnding, type EpisodeEndings } from "@/lib/api";
import { brief, decimal, percent, plural } from "@/lib/format";
import type { Watch } from "./watch";

interface EndingsProps {
  runId: string;
  onWatch: (watch: Watch) => void;
}

/** How the episodes of all evaluations of a run end: share, trend over training, and one to watch. */
export function Endings({ runId, onWatch }: EndingsProps) {
  const { data, error, refetch, isFetching } = useQuery(endingsQuery(runId));
  if (error && !data)
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton className="h-24" />;
  if (data.endings.length === 0)
    return (
      <EmptyState icon={Flag} title="No recorded episode yet">
        How episodes end is read from their step records. Evaluate the policy to record some.
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
            <Ending ending={ending} evaluations={data.evaluations} onWatch={onWatch} />
          </li>
        ))}
      </ul>
      <p className="text-xs text-ink-faint">
        {plural(data.episodes, "episode")} of {plural(data.evaluations.length, "evaluation")}
        {data.without_records > 0 && `; ${data.without_records} more kept no step records`}.
      </p>
    </div>
  );
}

interface EndingProps {
  ending: EpisodeEnding;
  evaluations: EpisodeEndings["evaluations"];
  onWatch: (watch: Watch) => void;
}

function Ending({ ending, evaluations, onWatch }: EndingProps) {
  const { example, shares, share } = ending;
  const steps = evaluations.map(({ checkpoint_step: step }) => brief(step));
  const trend = `Share by evaluation, from step ${steps[0]} to ${steps.at(-1)}: ${shares.map(percent).join(", ")}`;
  return (
    <div className="flex items-center gap-3">
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2 text-sm">
          <span className="min-w-0 break-words">{ending.title}</span>
          <span className="ml-auto shrink-0 font-medium tabular-nums">{percent(share)}</span>
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
      </div>
      {shares.length > 1 && (
        <span title={trend} className="w-20 shrink-0 text-accent">
          <Sparkline values={shares} label={trend} className="h-7 w-full" />
        </span>
      )}
      <Button
        size="sm"
        icon={<Play aria-hidden className="size-3.5" />}
        aria-label={`Watch an example: ${ending.title}`}
        title={example.has_video ? undefined : "The videos of these episodes are not kept any more"}
        disabled={!example.has_video}
        onClick={() =>
          onWatch({ evaluation: example.evaluation_id, frame: example.result.first_frame })
        }
      >
        Watch
      </Button>
    </div>
  );
}
