import { ChartHelp } from "@/components/charts";
import { LinePlot } from "@/components/figure/line-plot";
import { Card } from "@/components/ui/card";
import type { ExperimentResults } from "@/lib/api";
import { brief, decimal, noInterval, shareText, plural } from "@/lib/format";
import { madeText, madeTexts } from "@/lib/made";
import { arrivalLines } from "./arrival-lines";
import { labelsOf, showsSeeds } from "./labels";

/** Steps to the threshold, drawn and in figures, with the seeds that never got there; nothing without a threshold. */
export function StepsTable({ results }: { results: ExperimentResults }) {
  const { thresholds } = results;
  if (!thresholds || thresholds.variants.length === 0) return null;
  const label = labelsOf(results.variants);
  const withSeeds = showsSeeds(results);
  const where = new Map(results.variants.map((one) => [one.variant, one.environment]));
  const help = madeTexts(
    thresholds.variants.map(({ variant, made }) => ({ label: label(variant), made })),
  );
  const longest = Math.max(
    ...thresholds.variants.flatMap(({ seeds }) => seeds.map(({ steps }) => steps)),
  );
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
        label={`Share of seeds that got there by each step, of ${plural(thresholds.variants.length, "variant")}`}
        x={{ domain: [0, longest], label: "environment steps" }}
        y={{ domain: [0, 1], label: "share of seeds that got there", format: shareText }}
        lines={arrivalLines(results)}
      />
      <p className="text-xs text-ink-faint">
        Kaplan-Meier estimate. A stroke across a line is a seed that was trained so far without
        getting there: from there on it counts neither way, as it is censored.
      </p>
      <div
        className="relative max-h-112 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Steps by variant"
      >
        <table className="w-full min-w-120 text-sm tabular-nums">
          <thead className="text-left text-xs text-ink-soft">
            <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
              <th scope="col">Variant</th>
              <th scope="col">Reached</th>
              <th scope="col">Median [95 %]</th>
              <th scope="col">Each seed</th>
            </tr>
          </thead>
          <tbody>
            {thresholds.variants.map((one) => (
              <tr
                key={one.variant}
                className="border-b border-line align-top last:border-0 [&>*]:py-2 [&>*]:pr-4"
              >
                <th scope="row" className="text-left font-medium break-words">
                  {label(one.variant)}
                  {thresholds.threshold === null && (
                    <span className="block text-2xs font-normal text-ink-faint">
                      {decimal(one.threshold)} on {where.get(one.variant)}
                    </span>
                  )}
                </th>
                <td title="Seeds that got there, of those that were trained">
                  {one.reached} of {one.n}
                </td>
                <td className="whitespace-nowrap" title={madeText(one.made)}>
                  {one.median === null ? "Fewer than half did" : brief(one.median)}{" "}
                  {one.n === 1 && one.median !== null && (
                    <span className="text-xs text-ink-soft">{noInterval()}</span>
                  )}
                  {(one.median_low !== null || one.median_high !== null) && (
                    <span className="text-xs text-ink-soft">
                      [{one.median_low === null ? "–" : brief(one.median_low)},{" "}
                      {one.median_high === null ? "beyond the training" : brief(one.median_high)}]
                    </span>
                  )}
                </td>
                <td className="text-xs text-ink-soft">
                  {withSeeds ? (
                    <Arrivals seeds={one.seeds} />
                  ) : (
                    one.seeds.map(arrivalText).join(", ")
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

type Seeds = NonNullable<ExperimentResults["thresholds"]>["variants"][number]["seeds"];

/** The steps of each seed, told apart by their titles. */
function Arrivals({ seeds }: { seeds: Seeds }) {
  return (
    <ul className="flex flex-wrap gap-x-2">
      {seeds.map((one) => (
        <li
          key={one.seed}
          title={`Seed ${one.seed}${one.censored ? ": not reached within its training" : ""}`}
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
