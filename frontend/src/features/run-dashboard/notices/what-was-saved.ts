import type { RunDetail } from "@/lib/api";
import { count } from "@/lib/format";

type Saved = Pick<RunDetail, "status" | "step" | "policy_step" | "best_policy">;

/** What a run that did not come to its end has left behind, in a sentence. */
export function whatWasSaved({ step, policy_step, best_policy }: Saved): string {
  if (step === 0 && policy_step === null)
    return "It ended before its first step: nothing was saved.";
  const kept = [`the curves up to step ${count(step)}`];
  if (policy_step !== null) kept.push(`the policy of step ${count(policy_step)}`);
  if (best_policy) kept.push(`the best policy, of step ${count(best_policy.step)}`);
  const list = kept.length > 1 ? `${kept.slice(0, -1).join(", ")} and ${kept.at(-1)}` : kept[0];
  return `Saved: ${list}.${policy_step === null ? " It ended before a policy was saved." : ""}`;
}
