import type { Evaluation } from "@/api/types";
import { duration, elapsed, moment } from "@/lib/format-time";
import { brief, count, decimal, plural } from "@/lib/number";
import { Stat } from "@/ui/card";

interface EvaluationSummaryProps {
  evaluation: Evaluation;
  /** It is a video of a program of the user's own, of which no more is known than that program said. */
  handedOver: boolean;
}

/** The figures of one completed evaluation. */
export function EvaluationSummary({ evaluation, handedOver }: EvaluationSummaryProps) {
  const { summary, checkpoint_step: step } = evaluation;
  if (!summary) return null;
  return (
    <div className="flex flex-col gap-3">
      <Figures {...{ evaluation, handedOver }} />
      {evaluation.short_of_solved && (
        <p className="max-w-prose text-sm text-ink-soft">{evaluation.short_of_solved}</p>
      )}
      <p className="text-xs text-ink-faint">
        <time dateTime={evaluation.created_at}>{moment(evaluation.created_at)}</time>
        {handedOver
          ? ` · handed over at step ${count(step)}`
          : ` · ${
              step === null
                ? "played by hand"
                : `${evaluation.deterministic ? "deterministic" : "sampled"} actions`
            } · seed ${count(evaluation.seed)}`}
      </p>
    </div>
  );
}

function Figures({ evaluation, handedOver }: EvaluationSummaryProps) {
  const { summary, checkpoint_step: step, policy } = evaluation;
  if (!summary?.episode_return || !summary.episode_length) return null;
  const { episode_return, episode_length, terminated, truncated } = summary;
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 @sm:grid-cols-3 @4xl:grid-cols-6">
      <Stat label="Mean return" note={range(episode_return)}>
        {decimal(episode_return.mean)}{" "}
        <span className="text-sm font-normal text-ink-soft">± {decimal(episode_return.std)}</span>
      </Stat>
      <Stat label="Mean length" note={`± ${decimal(episode_length.std)} steps`}>
        {decimal(episode_length.mean)}
      </Stat>
      {handedOver ? (
        <Stat label="Episodes">{count(summary.episodes.length)}</Stat>
      ) : (
        <>
          <Stat label="Terminated" note="reached an end">
            {count(terminated)}
          </Stat>
          <Stat label="Truncated" note="cut by the limit">
            {count(truncated)}
          </Stat>
        </>
      )}
      {!handedOver && step !== null && (
        <Stat label="Policy" note={policy === "best" ? "the best so far" : "the latest then"}>
          <span title={`step ${count(step)}`}>step {brief(step)}</span>
        </Stat>
      )}
      {!handedOver && (
        <Stat label="Took" note={plural(summary.episodes.length, "episode")}>
          {duration(elapsed(evaluation, 0) ?? 0)}
        </Stat>
      )}
    </dl>
  );
}

function range({ min, max }: { min: number; max: number }): string {
  return `${decimal(min)} to ${decimal(max)}`;
}
