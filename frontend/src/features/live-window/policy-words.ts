import type { RunDetail } from "@/lib/api";
import { isActive } from "@/lib/api";
import { count } from "@/lib/format";
import type { SessionState } from "@/lib/session";

/** Which policy plays: "plays the policy of step 12,288, 1.4 s old". `now` in the milliseconds of `since`. */
export function policyWords(
  run: Pick<RunDetail, "status">,
  { policy }: Pick<SessionState, "policy">,
  now: number,
): string {
  if (!policy) return "";
  const step = count(policy.step);
  if (!isActive(run)) return `Plays the final policy, of step ${step}`;
  const seconds = Math.max(0, now - policy.since) / 1000;
  const age = seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds));
  return `Plays the policy of step ${step}, ${age} s old`;
}
