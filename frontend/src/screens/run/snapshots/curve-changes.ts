import type { ForkChanges, ForkRun, RunConfig, RunDetail, RunKnob } from "@/api/types";
import { settingText } from "@/lib/number";

/** A change of one hyperparameter that a fork can try at a point of the curve. */
export interface CurveChange {
  /** `Halve the learning rate` */
  label: string;
  /** `0.0003 → 0.00015` */
  values: string;
  name: string;
  value: number;
}

const WAYS = [
  { verb: "Halve", factor: 0.5 },
  { verb: "Double", factor: 2 },
] as const;

/**
 * Half and twice the value of each hyperparameter that can change during training, within its bounds. For a schedule,
 * the configured value changes, and with it the whole schedule.
 */
export function curveChanges(
  config: RunConfig,
  knobs: readonly RunKnob[],
  { changes, in_force }: Pick<ForkChanges, "changes" | "in_force">,
): CurveChange[] {
  const values: Readonly<Record<string, unknown>> = { ...config.hyperparameters, ...in_force };
  return knobs.flatMap(({ name, label, minimum, maximum, excludes_minimum: excludes }) => {
    const now = values[name];
    const offered = changes.find((one) => one.name === name);
    if (typeof now !== "number" || now === 0 || !offered || offered.effect === "refused") return [];
    return WAYS.flatMap(({ verb, factor }): CurveChange[] => {
      const value = now * factor;
      if (value > maximum || value < minimum || (excludes && value === minimum)) return [];
      const words = `${settingText(now)} → ${settingText(value)}`;
      return [{ label: `${verb} the ${label}`, values: words, name, value }];
    });
  });
}

/** How long a fork at `step` trains, unless the user says otherwise. */
export function usualTimesteps(
  { total_timesteps: total }: Pick<RunDetail, "total_timesteps">,
  step: number,
) {
  return step < total ? total : step + total;
}

/** The request for a fork at `step` with one change. `begins`: the step at which it starts. */
export function forkWith(
  run: Pick<RunDetail, "name" | "total_timesteps">,
  { name, value }: CurveChange,
  step: number,
  begins: number,
  longestName: number | undefined,
): ForkRun {
  return {
    step,
    hyperparameters: { [name]: value } as ForkRun["hyperparameters"],
    total_timesteps: usualTimesteps(run, begins),
    name: `${run.name}, ${name} ${settingText(value)}`.slice(0, longestName),
    start: true,
  };
}
