import clsx from "clsx";
import Link from "next/link";
import { ChartHelp } from "@/components/charts";
import { Card } from "@/components/ui/card";
import type { ExperimentResults } from "@/lib/api";
import { count, decimal, interval, plural } from "@/lib/format";
import { madeText } from "@/lib/made";
import { routes } from "@/lib/url";
import { ForestLine } from "./forest-plot";
import { MOST_WITH_SEEDS } from "./labels";

const FIGURES = [
  ["iqm", "IQM [95 %]"],
  ["median", "Median"],
  ["mean", "Mean"],
  ["optimality_gap", "Optimality gap"],
] as const;

/**
 * Variants with their scores: summed up, as a forest plot, and of each seed with a link to its run. On a narrow screen
 * each variant is a block with what matters most.
 */
export function ScoreTable({ results }: { results: ExperimentResults }) {
  const { variants, forest, cost } = results;
  const made = variants[0]?.made ?? {};
  const withSeeds = variants.length <= MOST_WITH_SEEDS;
  const several = new Set(variants.map(({ environment }) => environment)).size > 1;
  const shown = FIGURES.filter(([name]) => variants.some((one) => one[name] !== null));
  return (
    <Card title="Scores" bodyClass="relative overflow-x-auto p-4">
      <p className="mb-3 text-xs text-ink-faint">Score: {results.score_definition}.</p>
      <table className="w-full text-sm tabular-nums max-md:block md:min-w-180">
        <thead className="text-left text-xs text-ink-soft max-md:sr-only">
          <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
            <th scope="col">Variant</th>
            {shown.map(([name, title]) => (
              <th key={name} scope="col">
                <span className="flex items-center gap-1">
                  {title}
                  {made[name] && <ChartHelp title={title} text={madeText(made[name])} />}
                </span>
              </th>
            ))}
            <th scope="col" className="w-1/4">
              Forest plot
            </th>
            {withSeeds && <th scope="col">Seeds</th>}
            <th scope="col">
              <span className="flex items-center gap-1">
                Core-seconds
                <ChartHelp title="a core-second" text={madeText(cost.made)} />
              </span>
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {variants.map((one) => (
            <tr
              key={one.variant}
              className="border-b border-line align-top last:border-0 max-md:flex max-md:flex-col max-md:gap-1.5 max-md:py-3 md:[&>*]:py-2 md:[&>*]:pr-4"
            >
              <th scope="row" className="text-left font-medium break-words md:max-w-56">
                {one.label}
                <span className="block text-2xs font-normal text-ink-faint">
                  {several && `${one.environment} · `}
                  {one.n} of {plural(one.trials, "seed")}
                  {one.failed > 0 && `, ${one.failed} failed`}
                </span>
              </th>
              {shown.map(([name]) => (
                <td
                  key={name}
                  className={clsx("whitespace-nowrap", name !== "iqm" && "max-md:hidden")}
                >
                  {name === "iqm" && <span className="text-xs text-ink-faint md:hidden">IQM </span>}
                  {decimal(one[name])}
                  {name === "iqm" && one.n > 0 && (
                    <span className="text-xs text-ink-soft"> {interval(one.low, one.high)}</span>
                  )}
                </td>
              ))}
              <td>
                <ForestLine forest={forest} variant={one.variant} />
              </td>
              {withSeeds && (
                <td>
                  <ul className="flex max-w-64 flex-wrap gap-x-2 text-xs">
                    {one.scores.map(({ seed, run_id, score }) => (
                      <li key={seed}>
                        <Link
                          href={routes.run(run_id)}
                          title={`Seed ${seed}`}
                          className="rounded-sm text-accent hover:underline"
                        >
                          <span className="sr-only">Seed {seed}: </span>
                          {decimal(score)}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </td>
              )}
              <td className="max-md:hidden">
                {count(
                  Math.round(
                    cost.variants.find(({ variant }) => variant === one.variant)?.core_seconds ?? 0,
                  ),
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
