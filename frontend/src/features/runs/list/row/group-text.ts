import { RUN_STATUSES } from "@/api/run-filter";
import type { RunStatus, SeedGroup } from "@/api/types";
import { brief, decimal, interval, percent } from "@/lib/number";
import type { ProgressText } from "./progress-text";

/** Statuses of the runs of a group with how many are in each, in the order of a run's life. */
export function statusCounts({ statuses }: SeedGroup): [status: RunStatus, count: number][] {
  return RUN_STATUSES.map((status): [RunStatus, number] => [status, statuses[status] ?? 0]).filter(
    ([, count]) => count > 0,
  );
}

/** From 0 to 1, of the steps of all runs together. */
export function groupProgress({ step, end_step }: SeedGroup): number {
  return end_step > 0 ? Math.min(1, step / end_step) : 0;
}

/** Progress of all runs of a group in a few words. */
export function groupProgressText(group: SeedGroup): ProgressText {
  const count = group.run_ids.length;
  if (group.ended === count || group.end_step === 0)
    return { done: `${brief(group.step)} steps`, note: "" };
  return { done: percent(groupProgress(group)), note: `${group.ended} of ${count} ended` };
}

/** `461.2 [420.0, 492.1]`; one run alone has no interval. */
export function intervalText({
  iqm,
  low,
  high,
}: Pick<SeedGroup["best"], "iqm" | "low" | "high">): string {
  if (iqm === null) return "–";
  return low === null || high === null ? decimal(iqm) : `${decimal(iqm)} ${interval(low, high)}`;
}
