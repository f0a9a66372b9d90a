import type { ExperimentResults } from "@/api/types";
import type { PlotLine } from "@/charts/figure";
import { comparedIn, labelsOf, placesOf } from "./labels";

/** For each variant the share of its seeds whose score is greater than each value: it falls at a score, at once. */
export function profileLines(results: ExperimentResults): PlotLine[] {
  const { profiles } = results;
  const label = labelsOf(comparedIn(results));
  const place = placesOf(comparedIn(results));
  return profiles.variants.map(({ variant, share, low, high }) => ({
    ...{ id: variant, label: label(variant), style: place(variant) },
    points: heldUntilNext(
      profiles.value.flatMap((value, i) => {
        const y = share[i];
        return y === undefined ? [] : [[value, y] as const];
      }),
    ),
    band: heldUntilNext(
      profiles.value.flatMap((value, i) => {
        const [least, most] = [low[i] ?? null, high[i] ?? null];
        return least === null || most === null ? [] : [[value, least, most] as const];
      }),
    ),
  }));
}

/** The same points as steps: each of their values also where the next one begins. */
function heldUntilNext<Row extends readonly [x: number, ...values: number[]]>(
  rows: readonly Row[],
): Row[] {
  return rows.flatMap((row, i) => {
    const next = rows[i + 1];
    return next ? [row, [next[0], ...row.slice(1)] as unknown as Row] : [row];
  });
}
