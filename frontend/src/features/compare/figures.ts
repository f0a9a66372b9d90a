import type { Comparison, Run } from "@/lib/api";
import { brief, count, decimal, duration, elapsed, NONE } from "@/lib/format";

export interface FigureCell {
  runId: string;
  text: string;
  best: boolean;
}

export interface FigureRow {
  label: string;
  /** How it is measured, in a few words. */
  note: string;
  cells: FigureCell[];
}

interface Figure {
  label: string;
  note: (comparison: Comparison) => string;
  better: "high" | "low";
  value: (compared: Comparison["runs"][number], now: number) => number | null;
  text: (value: number) => string;
  /** Said where there is no figure. */
  none?: string;
}

const FIGURES: readonly Figure[] = [
  {
    label: "Best moving average",
    note: ({ window }) => `highest mean return of ${window} episodes in a row`,
    better: "high",
    value: ({ best_moving_average }) => best_moving_average,
    text: decimal,
  },
  {
    label: "Steps to threshold",
    note: thresholdNote,
    better: "low",
    value: ({ steps_to_threshold }) => steps_to_threshold,
    text: count,
    none: "not reached",
  },
  {
    label: "Time to threshold",
    note: thresholdNote,
    better: "low",
    value: ({ seconds_to_threshold }) => seconds_to_threshold,
    text: seconds,
    none: "not reached",
  },
  {
    label: "Stability",
    note: () => "spread (std) of the last 20 returns; lower is steadier",
    better: "low",
    value: ({ stability }) => stability,
    text: (value) => `± ${decimal(value)}`,
  },
  {
    label: "Final return",
    note: ({ window }) => `mean of the last ${window} episodes`,
    better: "high",
    value: ({ final_moving_average }) => final_moving_average,
    text: decimal,
  },
  {
    label: "Steps per second",
    note: () => "over the whole run",
    better: "high",
    value: ({ run }, now) => pace(run, now),
    text: brief,
  },
];

/**
 * The table of figures, the best of each marked where one is better than another. None is across
 * environments: they pay differently, and a step takes differently long. `now` in milliseconds.
 */
export function figureRows(comparison: Comparison, now: number): FigureRow[] {
  const alike = sharesEnvironment(comparison);
  return FIGURES.map((figure) => {
    const values = comparison.runs.map((compared) => figure.value(compared, now));
    const best = alike ? bestOf(values, figure.better) : null;
    const none = comparison.threshold === null ? NONE : (figure.none ?? NONE);
    return {
      label: figure.label,
      note: figure.note(comparison),
      cells: comparison.runs.map(({ run }, i) => {
        const value = values[i] ?? null;
        return {
          runId: run.id,
          text: value === null ? none : figure.text(value),
          best: best !== null && value === best,
        };
      }),
    };
  });
}

export function sharesEnvironment({ runs }: Comparison): boolean {
  return new Set(runs.map(({ run }) => run.env_id)).size <= 1;
}

/** Environment steps a second since the run was started; null before it has done any. */
export function pace(run: Run, now: number): number | null {
  const ms = elapsed(run, now);
  return ms === null || ms <= 0 || run.step === 0 ? null : run.step / (ms / 1000);
}

/** `12.3 s`, then `1m 05s`: a fast environment is solved in seconds. */
export function seconds(value: number): string {
  return value < 60 ? `${value.toFixed(1)} s` : duration(value * 1000);
}

/** The best of at least two different figures; null where none stands out. */
function bestOf(values: readonly (number | null)[], better: Figure["better"]): number | null {
  const known = values.filter((value) => value !== null);
  const best = better === "high" ? Math.max(...known) : Math.min(...known);
  const others = values.some((value) => value !== best);
  return known.length > 0 && values.length > 1 && others ? best : null;
}

function thresholdNote({ threshold, window }: Comparison): string {
  return threshold === null
    ? "no threshold is set"
    : `first ${window} episodes with a mean of ${decimal(threshold)}`;
}
