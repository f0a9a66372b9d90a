import type { RunsInGroup } from "@/lib/api";

export interface Extent {
  minimum: number;
  maximum: number;
  /** Whether places are by the logarithm. */
  log: boolean;
}

/** How many times the smallest the greatest value is from where on a logarithmic axis shows more. */
const WIDE = 10;

/** What an axis has to show. It is logarithmic where positive values span an order of magnitude or more. */
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

/** Share of the width at which `value` lies, from 0 to 100; in the middle where all are the same. */
export function placeIn(value: number, { minimum, maximum, log }: Extent): number {
  if (maximum <= minimum) return 50;
  const at = (one: number) => (log ? Math.log(one) : one);
  return ((at(value) - at(minimum)) / (at(maximum) - at(minimum))) * 100;
}

/** Values to label an axis with, both ends included. */
export function ticksOf({ minimum, maximum, log }: Extent, count = 5): number[] {
  if (maximum <= minimum) return [minimum];
  return Array.from({ length: count }, (_, i) => {
    const share = i / (count - 1);
    return log ? minimum * (maximum / minimum) ** share : minimum + (maximum - minimum) * share;
  });
}
