import type { PlotLine } from "@/components/figure/line-plot";
import type { ExperimentResults } from "@/lib/api";
import { brief } from "@/lib/format";
import { labelsOf, placesOf } from "./labels";

type Arrivals = NonNullable<ExperimentResults["thresholds"]>["variants"][number];

/** For each variant the share of its seeds that has got there by each step, by Kaplan and Meier's estimate. */
export function arrivalLines({ thresholds, variants }: ExperimentResults): PlotLine[] {
  const label = labelsOf(variants);
  const place = placesOf(variants);
  return (thresholds?.variants ?? []).map((one) => ({
    ...{ id: one.variant, style: place(one.variant) },
    label: `${label(one.variant)}: ${one.reached} of ${one.n}`,
    points: steps(one, (i) => shareAt(one, i)),
    band: bandOf(one),
    strokes: one.seeds
      .filter(({ censored }) => censored)
      .map(({ seed, steps: trained }) => ({
        at: [
          trained,
          shareAt(
            one,
            one.step.findLastIndex((step) => step <= trained),
          ),
        ] as const,
        says: `Seed ${seed}: not there after ${brief(trained)} steps, when its training ended`,
      })),
  }));
}

/** The share that is there after arrival number `i`; before the first, -1, none is. */
function shareAt({ waiting }: Arrivals, i: number): number {
  return i < 0 ? 0 : 1 - (waiting[i] ?? 1);
}

/** A line of steps: level until an arrival, then at once the next; to the end of the longest training. */
function steps({ step, seeds }: Arrivals, level: (i: number) => number): [number, number][] {
  const end = Math.max(0, ...seeds.map(({ steps: trained }) => trained));
  const points: [number, number][] = [[0, 0]];
  step.forEach((at, i) => points.push([at, level(i - 1)], [at, level(i)]));
  points.push([end, level(step.length - 1)]);
  return points;
}

/** The band of the same line, from the first arrival on. */
function bandOf({ step, low, high, seeds }: Arrivals): [number, number, number][] {
  const end = Math.max(0, ...seeds.map(({ steps: trained }) => trained));
  return step.flatMap((at, i) => {
    const [least, most] = [low[i] ?? null, high[i] ?? null];
    if (least === null || most === null) return [];
    const next = step[i + 1] ?? end;
    return [at, next].map((x): [number, number, number] => [x, 1 - most, 1 - least]);
  });
}
