import { History } from "lucide-react";
import { stepsBehind } from "@/api/evaluate";
import type { Evaluation, RunDetail } from "@/api/types";
import { brief } from "@/lib/number";

interface PolicyAgeProps {
  /** The one on show. */
  evaluation: Evaluation;
  /** The newest of the run. */
  newest: Evaluation | undefined;
  run: RunDetail;
}

/** Says that the policy on show is not the newest of its kind any more. */
export function PolicyAge({ evaluation, newest, run }: PolicyAgeProps) {
  const behind = stepsBehind(evaluation, run);
  if (behind === null) return null;
  const kind = evaluation.policy === "best" ? "A better policy was kept" : "The policy has trained";
  const isShownByNewest =
    newest?.policy === evaluation.policy && newest && stepsBehind(newest, run) === null;
  return (
    <p role="status" className="flex items-center gap-2 text-xs text-ink-soft">
      <History aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      This shows the policy of step {brief(evaluation.checkpoint_step)}. {kind} {brief(behind)}{" "}
      steps later;{" "}
      {isShownByNewest ? "the newest evaluation shows it." : "evaluate again to see it."}
    </p>
  );
}
