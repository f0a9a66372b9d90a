import type { PlotLine } from "@/components/figure/line-plot";
import type { ExperimentResults } from "@/lib/api";
import { comparedIn, labelsOf, placesOf } from "./labels";

/** For each variant the share of its seeds whose score is greater than each value. */
export function profileLines(results: ExperimentResults): PlotLine[] {
  const { profiles } = results;
  const label = labelsOf(comparedIn(results));
  const place = placesOf(comparedIn(results));
  return profiles.variants.map(({ variant, share, low, high }) => ({
    ...{ id: variant, label: label(variant), style: place(variant) },
    points: profiles.value.flatMap((value, i) => {
      const y = share[i];
      return y === undefined ? [] : [[value, y] as const];
    }),
    band: profiles.value.flatMap((value, i) => {
      const [least, most] = [low[i] ?? null, high[i] ?? null];
      return least === null || most === null ? [] : [[value, least, most] as const];
    }),
  }));
}
