import { madeText, madeTexts } from "@/api/method-text";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { LinePlot, type PlotLine } from "@/charts/figure";
import { brief, decimal, noInterval, plural, shareText } from "@/lib/number";
import { Card } from "@/ui/card";
import { ScrollRegion } from "@/ui/scroll-region";
import { arrivalsOf, labelsOf, NarrowName, placesOf, showsSeeds } from "./method-table";

/**
 * Steps to the threshold, as a chart and as figures, with the seeds that never reached it. Hidden without a threshold.
 */
export function StepsTable({ results }: { results: ExperimentResults }) {
  const { thresholds } = results;
  if (!thresholds || thresholds.variants.length === 0) return null;
  const arrivals = arrivalsOf(results);
  const label = labelsOf(results.variants);
  const withSeeds = showsSeeds(results);
  const where = new Map(results.variants.map((one) => [one.variant, one.environment]));
  const help = madeTexts(arrivals.map(({ variant, made }) => ({ label: label(variant), made })));
  const longest = Math.max(...arrivals.flatMap(({ seeds }) => seeds.map(({ steps }) => steps)));
  return (
    <Card
      title={
        thresholds.threshold === null
          ? "Steps to the threshold of each environment"
          : `Steps to a return of ${decimal(thresholds.threshold)}`
      }
      aside={<ChartHelp title="steps to the threshold" text={help} />}
      bodyClass="flex min-w-0 flex-col gap-4 p-4"
    >
      <LinePlot
        label={`Share of seeds that reached the threshold by each step, of ${plural(arrivals.length, "variant")}`}
        x={{ domain: [0, longest], label: "environment steps" }}
        y={{
          domain: [0, 1],
          label: "share of seeds that reached the threshold",
          format: shareText,
        }}
        lines={arrivalLines(results)}
      />
      <p className="text-xs text-ink-faint">
        Kaplan-Meier estimate. A stroke across a line marks a seed whose training ended before it
        reached the threshold (a censored seed). It no longer counts from there on.
      </p>
      <ScrollRegion label="Steps by variant" className="max-h-112">
        <table className="w-full text-sm tabular-nums max-md:block">
          <thead className="text-left text-xs text-ink-soft max-md:sr-only">
            <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
              <th scope="col">Variant</th>
              <th scope="col">Reached</th>
              <th scope="col">Median [95 %]</th>
              <th scope="col">Each seed</th>
            </tr>
          </thead>
          <tbody className="max-md:block">
            {arrivals.map((one) => (
              <ArrivalRow
                key={one.variant}
                arrivals={one}
                label={label(one.variant)}
                where={thresholds.threshold === null ? where.get(one.variant) : undefined}
                withSeeds={withSeeds}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  );
}

type Arrived = NonNullable<ExperimentResults["thresholds"]>["variants"][number];

interface ArrivalRowProps {
  arrivals: Arrived;
  label: string;
  /** The environment, if each one has its own threshold. */
  where: string | undefined;
  /** Whether each seed is listed separately. */
  withSeeds: boolean;
}

/** One variant; a separate block on a narrow screen. */
function ArrivalRow({ arrivals: one, label, where, withSeeds }: ArrivalRowProps) {
  return (
    <tr className="border-b border-line align-top last:border-0 max-md:flex max-md:flex-col max-md:gap-1 max-md:py-3 md:[&>*]:py-2 md:[&>*]:pr-4">
      <th scope="row" className="text-left font-medium break-words">
        {label}
        {where && (
          <span className="block text-2xs font-normal text-ink-faint">
            {decimal(one.threshold)} on {where}
          </span>
        )}
      </th>
      <td title={`Seeds that reached the threshold, of all trained seeds. ${madeText(one.made)}`}>
        <NarrowName name="Reached" of={label} />
        {one.reached} of {one.n}
      </td>
      <td className="md:whitespace-nowrap" title={madeText(one.made)}>
        <NarrowName name="Median" of={label} />
        {one.median === null ? "Fewer than half reached it" : brief(one.median)}{" "}
        {one.n === 1 && one.median !== null && (
          <span className="text-xs text-ink-soft">{noInterval()}</span>
        )}
        {(one.median_low !== null || one.median_high !== null) && (
          <span className="text-xs text-ink-soft">
            [{one.median_low === null ? "–" : brief(one.median_low)},{" "}
            {one.median_high === null ? "not reached" : brief(one.median_high)}]
          </span>
        )}
      </td>
      <td className="text-xs text-ink-soft">
        <NarrowName name="Each seed" of={label} />
        {withSeeds ? <Arrivals seeds={one.seeds} /> : one.seeds.map(arrivalText).join(", ")}
      </td>
    </tr>
  );
}

type Seeds = Arrived["seeds"];

/** The steps of each seed. Titles name the seeds. */
function Arrivals({ seeds }: { seeds: Seeds }) {
  return (
    <ul className="flex flex-wrap gap-x-2 max-md:inline-flex">
      {seeds.map((one) => (
        <li
          key={one.seed}
          title={`Seed ${one.seed}${one.censored ? ": not reached during its training" : ""}`}
        >
          {arrivalText(one)}
        </li>
      ))}
    </ul>
  );
}

function arrivalText({ steps, censored }: Seeds[number]): string {
  return `${censored ? "> " : ""}${brief(steps)}`;
}

type VariantArrivals = NonNullable<ExperimentResults["thresholds"]>["variants"][number];

/** For each variant the share of its seeds that have reached the threshold by each step, by Kaplan and Meier's estimate. */
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
function strokesOf(one: VariantArrivals, together: boolean): NonNullable<PlotLine["strokes"]> {
  const left = one.seeds.filter(({ censored }) => censored);
  const place = ({ steps: trained }: VariantArrivals["seeds"][number]) => {
    const before = one.step.findLastIndex((step) => step <= trained);
    return [trained, shareAt(one, before)] as const;
  };
  if (together && left.length > 1) {
    const says = `${plural(left.length, "seed")}: threshold not reached when training ended`;
    return [{ at: left.map(place), says }];
  }
  return left.map((seed) => ({
    at: [place(seed)],
    says: `Seed ${seed.seed}: threshold not reached when training ended, after ${brief(seed.steps)} steps`,
  }));
}

/** The share of seeds that have arrived after arrival number `i`; 0 before the first, -1. */
function shareAt({ waiting }: VariantArrivals, i: number): number {
  return i < 0 ? 0 : 1 - (waiting[i] ?? 1);
}

/** A line of steps: level until an arrival, then at once the next; to the end of the longest training. */
function steps({ step, seeds }: VariantArrivals, level: (i: number) => number): [number, number][] {
  const end = Math.max(0, ...seeds.map(({ steps: trained }) => trained));
  const points: [number, number][] = [[0, 0]];
  step.forEach((at, i) => points.push([at, level(i - 1)], [at, level(i)]));
  points.push([end, level(step.length - 1)]);
  return points;
}

/** The band of the same line, from the first arrival on. */
function bandOf({ step, low, high, seeds }: VariantArrivals): [number, number, number][] {
  const end = Math.max(0, ...seeds.map(({ steps: trained }) => trained));
  return step.flatMap((at, i) => {
    const [least, most] = [low[i] ?? null, high[i] ?? null];
    if (least === null || most === null) return [];
    const next = step[i + 1] ?? end;
    return [at, next].map((x): [number, number, number] => [x, 1 - most, 1 - least]);
  });
}
