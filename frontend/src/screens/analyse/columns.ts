import type { RunsInGroup } from "@/api/types";
import { linearTicks, logTicks } from "@/charts/figure-scale";
import { columnTitle } from "@/lib/column-title";

export interface Extent {
  minimum: number;
  maximum: number;
  /** Whether places are by the logarithm. */
  log: boolean;
}

/** How many times the smallest the greatest value is from where on a logarithmic axis shows more. */
const WIDE = 10;

/** The data of an axis. It is logarithmic if positive values span an order of magnitude or more. */
export function extentOf(values: readonly number[], mayBeLog = false): Extent {
  const minimum = values.reduce((one, other) => Math.min(one, other), Infinity);
  const maximum = values.reduce((one, other) => Math.max(one, other), -Infinity);
  if (minimum > maximum) return { minimum: 0, maximum: 1, log: false };
  return { minimum, maximum, log: mayBeLog && minimum > 0 && maximum / minimum >= WIDE };
}

/** Everything that boxes show. */
export function extentOfBoxes(groups: readonly RunsInGroup[]): Extent {
  return extentOf(
    groups.flatMap(({ box }) =>
      box ? [box.low, box.high, ...box.outliers.flatMap(({ value }) => value ?? [])] : [],
    ),
  );
}

/** Position of `value` as a share of the width, from 0 to 100; the middle if all values are equal. */
export function placeIn(value: number, { minimum, maximum, log }: Extent): number {
  if (maximum <= minimum) return 50;
  const at = (one: number) => (log ? Math.log(one) : one);
  return ((at(value) - at(minimum)) / (at(maximum) - at(minimum))) * 100;
}

/** Round values to label an axis with, about `count` of them. */
export function ticksOf({ minimum, maximum, log }: Extent, count = 5): number[] {
  if (!log) return linearTicks([minimum, maximum], count).map(({ at }) => at);
  const decades = [Math.log10(minimum), Math.log10(maximum)] as const;
  return logTicks(decades, count).map(({ at }) => Number((10 ** at).toPrecision(12)));
}

const PREFIXES = [
  ["hp_", "Hyperparameters"],
  ["option_", "Options of the environment"],
  ["experiment_", "Experiment"],
] as const;

/** Label of a column, and its section in the list. */
export function columnName(name: string): { label: string; group: string } {
  for (const [prefix, group] of PREFIXES)
    if (name.startsWith(prefix)) return { label: name.slice(prefix.length), group };
  return { label: columnTitle(name), group: "Run" };
}

/** The label of a column within a sentence: `Best average` → `best average`. */
export function columnInText(name: string): string {
  const { label } = columnName(name);
  return label.charAt(0).toLowerCase() + label.slice(1);
}

/** Columns by section, in order. */
export function groupedColumns(names: readonly string[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const { group } = columnName(name);
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups];
}
