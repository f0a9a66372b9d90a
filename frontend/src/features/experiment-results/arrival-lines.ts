import type { ExperimentResults } from "@/api/types";
import type { PlotLine } from "@/charts/figure";
import { brief, plural } from "@/lib/number";
import { arrivalsOf, labelsOf, placesOf, showsSeeds } from "./labels";

type Arrivals = NonNullable<ExperimentResults["thresholds"]>["variants"][number];

/** For each variant the share of its seeds that has got there by each step, by Kaplan and Meier's estimate. */
export function arrivalLines(results: ExperimentResults): PlotLine[] {
  const { variants } = results;
  const isLarge = !showsSeeds(results);
  const label = labelsOf(variants);
  const place = placesOf(variants);
  return arrivalsOf(results).map((one) => ({
    ...{ id: one.variant, style: place(one.variant) },
    label: `${label(one.variant)}: ${one.reached} of ${one.n}`,
    points: steps(one, (i) => shareAt(one, i)),
    band: bandOf(one),
    strokes: strokesOf(one, isLarge),
  }));
}

/** A stroke for each seed that is censored; of very many all together. */
function strokesOf(one: Arrivals, together: boolean): NonNullable<PlotLine["strokes"]> {
  const left = one.seeds.filter(({ censored }) => censored);
  const place = ({ steps: trained }: Arrivals["seeds"][number]) => {
    const before = one.step.findLastIndex((step) => step <= trained);
    return [trained, shareAt(one, before)] as const;
  };
  if (together && left.length > 1) {
    const says = `${plural(left.length, "seed")}: not there when their training ended`;
    return [{ at: left.map(place), says }];
  }
  return left.map((seed) => ({
    at: [place(seed)],
    says: `Seed ${seed.seed}: not there after ${brief(seed.steps)} steps, when its training ended`,
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
