import type { RunDetail, SnapshotInfo } from "@/api/types";
import { count } from "@/lib/number";

type Saved = Pick<RunDetail, "status" | "step" | "policy_step" | "best_policy">;

/**
 * What a run that did not come to its end has left behind, in a sentence. `snapshot`: the step of the newest from which
 * training can go on; null without one, or while that is not known.
 */
export function whatWasSaved(
  { step, policy_step, best_policy }: Saved,
  snapshot: number | null,
): string {
  if (step === 0 && policy_step === null)
    return "It ended before its first step: nothing was saved.";
  const kept = [`the curves up to step ${count(step)}`];
  if (policy_step !== null) kept.push(`the policy of step ${count(policy_step)}`);
  if (best_policy) kept.push(`the best policy, of step ${count(best_policy.step)}`);
  if (snapshot !== null)
    kept.push(`a snapshot of step ${count(snapshot)}, from which training can go on`);
  const list = kept.length > 1 ? `${kept.slice(0, -1).join(", ")} and ${kept.at(-1)}` : kept[0];
  return `Saved: ${list}.${policy_step === null ? " It ended before its first checkpoint." : ""}`;
}

/** Step of the newest snapshot from which training can go on; null without one. */
export function newestSnapshot(snapshots: readonly SnapshotInfo[]): number | null {
  const usable = snapshots.filter(({ whole, behind }) => whole && !behind);
  return usable.length === 0 ? null : Math.max(...usable.map(({ step }) => step));
}
