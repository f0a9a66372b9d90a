import { History } from "lucide-react";
import type { Evaluation, RunDetail } from "@/lib/api";
import { stepsBehind } from "@/lib/evaluations";
import { brief } from "@/lib/format";

interface PolicyAgeProps {
  evaluation: Evaluation;
  run: RunDetail;
}

/** Says that the policy on show is not the newest of its kind any more. */
export function PolicyAge({ evaluation, run }: PolicyAgeProps) {
  const behind = stepsBehind(evaluation, run);
  if (behind === null) return null;
  const kind = evaluation.policy === "best" ? "A better policy was kept" : "The policy has trained";
  return (
    <p role="status" className="flex items-center gap-2 text-xs text-ink-soft">
      <History aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      This shows the policy of step {brief(evaluation.checkpoint_step)}. {kind} {brief(behind)}{" "}
      steps later; evaluate again to see it.
    </p>
  );
}
