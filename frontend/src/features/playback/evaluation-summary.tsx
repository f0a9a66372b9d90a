import { Stat } from "@/components/ui/stat";
import type { Evaluation } from "@/lib/api";
import { brief, count, decimal, duration, elapsed, moment, plural } from "@/lib/format";

/** The figures of one completed evaluation. */
export function EvaluationSummary({ evaluation }: { evaluation: Evaluation }) {
  const { summary, checkpoint_step: step, policy } = evaluation;
  if (!summary) return null;
  const { episode_return, episode_length, terminated, truncated } = summary;
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 @sm:grid-cols-3 @4xl:grid-cols-6">
        <Stat label="Mean return" note={range(episode_return)}>
          {decimal(episode_return.mean)}{" "}
          <span className="text-sm font-normal text-ink-soft">± {decimal(episode_return.std)}</span>
        </Stat>
        <Stat label="Mean length" note={`± ${decimal(episode_length.std)} steps`}>
          {decimal(episode_length.mean)}
        </Stat>
        <Stat label="Terminated" note="reached an end">
          {count(terminated)}
        </Stat>
        <Stat label="Truncated" note="cut by the limit">
          {count(truncated)}
        </Stat>
        {step !== null && (
          <Stat label="Policy" note={policy === "best" ? "the best so far" : "the latest then"}>
            <span title={`step ${count(step)}`}>step {brief(step)}</span>
          </Stat>
        )}
        <Stat label="Took" note={plural(summary.episodes.length, "episode")}>
          {duration(elapsed(evaluation, 0) ?? 0)}
        </Stat>
      </dl>
      <p className="text-xs text-ink-faint">
        <time dateTime={evaluation.created_at}>{moment(evaluation.created_at)}</time> ·{" "}
        {step === null
          ? "played by hand"
          : `${evaluation.deterministic ? "deterministic" : "sampled"} actions`}{" "}
        · seed {count(evaluation.seed)}
      </p>
    </div>
  );
}

function range({ min, max }: { min: number; max: number }): string {
  return `${decimal(min)} to ${decimal(max)}`;
}
