import type { Preset } from "@/api/types";
import { duration } from "@/lib/format-time";
import { brief, decimal, interval, plural } from "@/lib/number";

type Measured = NonNullable<Preset["measured"]>;

/** What a preset promises, in a line: how long, and whether it solves the task. */
export interface PresetPromise {
  /** Seconds until it is solved, or of the whole run if it is not; null if it was not measured. */
  time: string | null;
  verdict: string;
  /** Whether it works by its measurement; null if it was not measured. */
  works: boolean | null;
  /** Training length. */
  length: string;
}

export function promise(preset: Preset, threshold: number | null): PresetPromise {
  const { measured, end_step, works = null } = preset;
  const length = `${brief(end_step)} steps`;
  if (!measured) return { time: null, verdict: "not measured", works: null, length };
  const { seconds, seconds_to_threshold: solvedAfter, seeds } = measured;
  return {
    time: time(threshold === null ? seconds : (solvedAfter ?? seconds)),
    verdict:
      threshold === null
        ? `reaches ${decimal(measured.return_iqm)}`
        : `solves ${solves(measured)} of ${seeds}`,
    works,
    length,
  };
}

/** Why to think twice before starting with a preset; null if it works, or was not measured. */
export function failedMeasurement(
  preset: Preset | undefined,
  threshold: number | null,
): string | null {
  const measured = preset?.measured;
  if (!preset || !measured || preset.works !== false) return null;
  return threshold === null
    ? `${preset.title} reached ${decimal(measured.return_iqm)} when it was measured, clearly below the best.`
    : `${preset.title} solved this in ${solves(measured)} of ${plural(measured.seeds, "measured run")}.`;
}

/**
 * Number of seeds whose final policy solves it; in older figures without this number, of those that solved it during
 * training.
 */
function solves({ held, solved }: Measured): number {
  return held ?? solved;
}

/** `<1s`, `14s`, `2m 05s`. */
function time(seconds: number): string {
  return seconds < 1 ? "<1s" : duration(Math.round(seconds) * 1000);
}

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
  const { return_iqm, return_low, return_high, seconds, sampled } = measured;
  return {
    reached: decimal(return_iqm),
    facts: [
      ["95 % interval", interval(return_low, return_high)],
      ...(sampled ? [["Actions", "sampled"] satisfies [string, string]] : []),
      ...(threshold === null ? [] : solving(measured)),
      ["Whole run", `${length} · ${time(seconds)}`],
    ],
  };
}

function solving({
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
    seconds !== null && time(seconds),
  ].filter(Boolean);
  if (after.length > 0) facts.push(["Solved after", after.join(" · ")]);
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
