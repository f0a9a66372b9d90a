import { madeText, madeTexts } from "@/api/method-text";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { SeedInterval } from "@/charts/seed-interval";
import { interval, plural } from "@/lib/number";
import { Card } from "@/ui/card";
import { ScrollRegion } from "@/ui/scroll-region";
import { comparedIn, labelsOf } from "./method-table";

/** How often a seed of one variant scores higher than a seed of another; nothing for fewer than two variants. */
export function ImprovementMatrix({ results }: { results: ExperimentResults }) {
  const { variants, matrix, pairs, left_out } = results.improvements;
  if (pairs.length === 0) return null;
  const label = labelsOf(comparedIn(results));
  const pairOf = (row: string, column: string) =>
    pairs.find(
      ({ first, second }) =>
        (first === row && second === column) || (first === column && second === row),
    );
  const help = madeTexts(
    pairs.map(({ first, second, made }) => ({
      label: `${label(first)} and ${label(second)}`,
      made,
    })),
    "pair",
  );
  const seedsOf = new Map(results.variants.map(({ variant, n }) => [variant, n]));
  /** Number of seeds of the smaller variant; null: with several environments, scores are more than seeds. */
  const fewest = (row: string, column: string) =>
    results.across ? null : Math.min(seedsOf.get(row) ?? 0, seedsOf.get(column) ?? 0);
  const ends = (row: string, column: string) => {
    const pair = pairOf(row, column);
    if (!pair) return "";
    const { low, high } = pair;
    const [least, most] = pair.first === row ? [low, high] : [turned(high), turned(low)];
    return interval(least, most, { format: (value) => value.toFixed(2) });
  };
  return (
    <Card
      title="Probability of improvement"
      aside={<ChartHelp title="the probability of improvement" text={help} />}
    >
      <p className="mb-2 text-xs text-ink-faint">
        Probability that a seed of the row scores higher than a seed of the column
        {results.across && ", averaged over the environments"}, with its 95 % interval.
      </p>
      <ScrollRegion label="Pairs of variants" bleeds>
        <table className="text-center text-sm tabular-nums">
          <thead className="text-xs text-ink-soft">
            <tr>
              <td />
              {variants.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className="max-w-32 px-2 py-1.5 font-medium break-words"
                >
                  {label(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {variants.map((row, i) => (
              <tr key={row}>
                <th
                  scope="row"
                  className="max-w-48 min-w-28 py-1 pr-3 text-left font-medium break-words"
                >
                  {label(row)}
                </th>
                {variants.map((column, j) => {
                  const probability = matrix[i]?.[j] ?? null;
                  const pair = pairOf(row, column);
                  return (
                    <td
                      key={column}
                      title={pair && madeText(pair.made)}
                      className="min-w-24 border border-line px-2 py-1.5"
                      style={{ background: shade(probability) }}
                    >
                      {probability === null ? (
                        "–"
                      ) : (
                        <>
                          {probability.toFixed(2)}
                          <SeedInterval count={fewest(row, column)} className="block text-2xs">
                            {ends(row, column)}
                          </SeedInterval>
                        </>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {left_out.length > 0 && (
        <p className="mt-2 text-xs text-ink-faint">
          {plural(left_out.length, "variant")} beyond the best {variants.length} not compared in
          pairs.
        </p>
      )}
    </Card>
  );
}

/** The end of an interval the other way round. */
function turned(end: number | null): number | null {
  return end === null ? null : 1 - end;
}

/** The further from even, the stronger; the number says the same. */
function shade(probability: number | null): string | undefined {
  if (probability === null || probability <= 0.5) return undefined;
  const share = Math.round((probability - 0.5) * 60);
  return `color-mix(in srgb, var(--accent) ${share}%, transparent)`;
}
