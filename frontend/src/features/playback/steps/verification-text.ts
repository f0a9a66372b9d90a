import type { Verification } from "@/api/types";
import { count } from "@/lib/number";

/** What came of playing the episodes of an evaluation again, or how far that is. */
export function verificationText({
  status,
  identical,
  steps = 0,
  first_difference: first,
  cause,
}: Verification): string | null {
  if (status === "running")
    return steps > 0 ? `${count(steps)} records compared` : "Playing again…";
  if (status === "failed") return cause ?? "It could not be verified.";
  if (identical) return `Identical: ${count(steps)} records`;
  return first
    ? `Differs at step ${count(first.index)} of episode ${first.episode + 1}: ${first.column}`
    : (cause ?? null);
}
