import type { ExplorationPlan } from "./types";

type Plan = ExplorationPlan | null | undefined;

/** Whether a run has a map of its visits, as `ExplorationPlan.counts_visits` decides in the service. */
export function countsVisits(plan: Plan): boolean {
  return plan != null && (plan.map || needsVisits(plan));
}

/** Whether a reward or the archive needs the map, also if it is off in the plan. */
export function needsVisits(plan: Plan): boolean {
  return plan?.coverage != null || plan?.archive != null;
}

/** Whether the plan changes how a run learns: a map alone does not. */
export function explores(plan: Plan): boolean {
  return needsVisits(plan) || plan?.novelty != null || plan?.imitation != null;
}
