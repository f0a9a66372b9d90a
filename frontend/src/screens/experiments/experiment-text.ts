import { madeText } from "@/api/method-text";
import type { Experiment, ExperimentEstimate, ExperimentSummary } from "@/api/types";
import { duration, aboutDuration } from "@/lib/format-time";
import { brief, plural } from "@/lib/number";

type Counted = Pick<ExperimentSummary, "counts" | "trials">;

/** `3 of 10 trials scored, 1 failed`. */
export function doneText({ counts, trials }: Counted): string {
  const scored = counts.scored ?? 0;
  const others = (["failed", "pruned", "skipped"] as const)
    .filter((status) => counts[status])
    .map((status) => `${counts[status]} ${status}`);
  return [`${scored} of ${plural(trials, "trial")} scored`, ...others].join(", ");
}

/** `2m 05s left`; null while unknown. */
export function leftText({ seconds_left }: Pick<ExperimentSummary, "seconds_left">) {
  return seconds_left === null ? null : `${duration(seconds_left * 1000)} left`;
}

/** How much would be trained: `6 runs, 98k steps in total, about 13m of processor time`. */
export function estimateText(estimate: ExperimentEstimate): string {
  const { trials, least_timesteps: least, total_timesteps: most, core_seconds: cores } = estimate;
  const steps = least === most ? brief(most) : `${brief(least)} to ${brief(most)}`;
  const parts = [
    plural(trials, "run"),
    `${steps} steps in total`,
    cores !== null && `${aboutDuration(cores * 1000)} of processor time`,
  ];
  return parts.filter(Boolean).join(", ");
}

type Paid = Pick<ExperimentSummary, "core_seconds" | "status">;

/** The cost so far. For running trials it is about a second old, so it is approximate while the experiment runs. */
export function costText({ core_seconds, status }: Paid): string {
  const cost = plural(Math.round(core_seconds), "core-second");
  return status === "running" ? `about ${cost}` : cost;
}

const PAID =
  "Core-seconds are the processor time of all threads of all runs of the experiment, including failed and lost ones.";

/** How the cost is computed. */
export function costMade(experiment: Counted): string {
  return made(PAID, experiment);
}

/** How the figures above and beside the trials are computed. */
export function trialsMade(experiment: Counted): string {
  return made(
    "Each cell is a trial: its score, or its share of trained steps, above a curve of its returns. " +
      `The time left is estimated from the speed of the runs so far. ${PAID}`,
    experiment,
  );
}

/** Describes figures over the trials that have started. */
function made(definition: string, { counts, trials }: Counted): string {
  const begun = trials - (counts.waiting ?? 0) - (counts.skipped ?? 0);
  return madeText({ definition, n: begun, source: "docs/experiments.md" });
}

type Described = Paid & Pick<Experiment, "specification" | "searches" | "variants" | "seeds">;

/** What is compared or searched, where, and the cost: `2 variants × 5 seeds`, `CartPole-v1`, `90 core-seconds`. */
export function factText(experiment: Described, algorithmName: (id: string) => string): string[] {
  const { specification, searches, variants, seeds } = experiment;
  const { base } = specification;
  const named = (algo: string | null | undefined) => (algo ? [algorithmName(algo)] : []);
  const where = [...new Set(variants.map(({ env_id }) => env_id))];
  const environments = where.length > 0 ? where.join(", ") : base?.env_id;
  const what = searches
    ? ["Search", ...named(base?.algo)]
    : [`${plural(variants.length, "variant")} × ${plural(seeds.length, "seed")}`];
  return [...what, ...(environments ? [environments] : []), costText(experiment)];
}
