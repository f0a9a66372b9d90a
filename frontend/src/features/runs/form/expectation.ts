import type { Preset } from "@/lib/api";
import { brief, compact, decimal, duration } from "@/lib/format";

export interface Expectation {
  /** The one figure: the return its training has reached, or null where nobody has measured it. */
  reached: string | null;
  /** What stands around that figure, a sentence each. */
  facts: string[];
}

/** What a preset promises, in the words of what was measured; where nothing was, it says so. */
export function expectation({ measured, total_timesteps }: Preset): Expectation {
  const planned = `${compact(total_timesteps)} steps`;
  if (!measured) return { reached: null, facts: [`Not measured here yet · ${planned}`] };
  const { seeds, solved, return_iqm, return_low, return_high } = measured;
  const { steps_to_threshold: steps, seconds_to_threshold: seconds } = measured;
  const facts = [`${decimal(return_low)} to ${decimal(return_high)}, 95 % interval`];
  if (solved === 0) facts.push(`Solved by none of ${seeds} seeds`);
  else {
    const after = steps === null ? "" : `, after ${brief(steps)} steps`;
    const time = seconds === null ? "" : ` (${duration(seconds * 1000)})`;
    facts.push(`Solved by ${solved} of ${seeds} seeds${after}${time}`);
  }
  facts.push(`${planned} in ${duration(measured.seconds * 1000)}`);
  return { reached: decimal(return_iqm), facts };
}

/** Milliseconds that so many steps may take, from what the preset's own took; null where nobody knows. */
export function estimate(preset: Preset | undefined, timesteps: number): number | null {
  if (!preset?.measured || preset.total_timesteps <= 0 || !(timesteps > 0)) return null;
  return (preset.measured.seconds / preset.total_timesteps) * timesteps * 1000;
}
