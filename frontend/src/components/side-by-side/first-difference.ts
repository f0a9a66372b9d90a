import type { StepRecord } from "@/api/types";

type Action = StepRecord["action"];

/** Actions of numbers are alike within this share of the range that each component had in both episodes. */
const ALIKE = 0.05;

/**
 * Index of the first step record of two episodes whose actions differ; null if they act alike as long as both go on.
 * `continuous`: actions are numbers with decimals, which hardly ever are the same.
 */
export function firstDifference(
  one: readonly StepRecord[],
  two: readonly StepRecord[],
  continuous: boolean,
): number | null {
  const alike = continuous ? closeWithin(rangesOf([...one, ...two])) : same;
  const both = Math.min(one.length, two.length);
  for (let index = 1; index < both; index += 1) {
    if (!alike(one[index]!.action, two[index]!.action)) return index;
  }
  return null;
}

function same(a: Action, b: Action): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function closeWithin(ranges: readonly number[]) {
  return (a: Action, b: Action) => {
    const [x, y] = [numbersOf(a), numbersOf(b)];
    return ranges.every((range, i) => Math.abs((x[i] ?? 0) - (y[i] ?? 0)) <= ALIKE * range);
  };
}

/** The difference between the greatest and the least number of each component. */
function rangesOf(records: readonly StepRecord[]): number[] {
  const low: number[] = [];
  const high: number[] = [];
  for (const { action } of records) {
    numbersOf(action).forEach((value, i) => {
      low[i] = Math.min(low[i] ?? value, value);
      high[i] = Math.max(high[i] ?? value, value);
    });
  }
  return high.map((value, i) => value - low[i]!);
}

function numbersOf(action: Action): number[] {
  const values = Array.isArray(action) ? action.flat(Infinity as 1) : [action];
  return values.filter((value): value is number => typeof value === "number");
}
