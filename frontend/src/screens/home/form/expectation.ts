import type { Preset } from "@/api/types";
import { duration } from "@/lib/format-time";
import { brief, decimal, interval, plural } from "@/lib/number";

type Measured = NonNullable<Preset["measured"]>;

export interface Expectation {
  /**
   * Interquartile mean of the final policies' returns over the measured seeds; null if the preset was not
   * measured.
   */
  reached: string | null;
  /** Names and values to show below it. */
  facts: [name: string, value: string][];
}

/** What to expect of a preset, from measured runs. Without a threshold there is no line about solving. */
export function expectation({ measured, end_step }: Preset, threshold: number | null): Expectation {
  const length = `${brief(end_step)} steps`;
  if (!measured) return { reached: null, facts: [["Whole run", length]] };
  const { return_iqm, return_low, return_high, seconds } = measured;
  return {
    reached: decimal(return_iqm),
    facts: [
      ["95 % interval", interval(return_low, return_high)],
      ...(threshold === null ? [] : promise(measured)),
      ["Whole run", `${length} · ${duration(seconds * 1000)}`],
    ],
  };
}

function promise({
  seeds,
  solved,
  held,
  steps_to_threshold: steps,
  seconds_to_threshold: seconds,
}: Measured): Expectation["facts"] {
  const of = (some: number) => `${some === 0 ? "none" : some} of ${plural(seeds, "seed")}`;
  const facts: Expectation["facts"] = [["Solved while training", of(solved)]];
  if (held !== null) facts.push(["Final policy solves it", of(held)]);
  const after = [
    steps !== null && `${brief(steps)} steps`,
    seconds !== null && duration(seconds * 1000),
  ].filter(Boolean);
  if (after.length > 0) facts.push(["Steps to solve", after.join(" · ")]);
  return facts;
}

/**
 * Estimated milliseconds for `timesteps`, in proportion to the measured time of the preset; null without a
 * measurement.
 */
export function estimate(preset: Preset | undefined, timesteps: number): number | null {
  if (!preset?.measured || preset.total_timesteps <= 0 || !(timesteps > 0)) return null;
  return (preset.measured.seconds / preset.total_timesteps) * timesteps * 1000;
}
