import { madeTexts } from "@/api/method-text";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { LinePlot, type PlotLine } from "@/charts/figure";
import { plural, shareText } from "@/lib/number";
import { Card } from "@/ui/card";
import { comparedIn, labelsOf, placesOf } from "./method-table";

/** The performance profiles of all variants: which share of the seeds did better than each return. */
export function ProfileCard({ results }: { results: ExperimentResults }) {
  const { value, variants, left_out } = results.profiles;
  if (variants.length === 0) return null;
  const label = labelsOf(comparedIn(results));
  const help = madeTexts(variants.map(({ variant, made }) => ({ label: label(variant), made })));
  const what = results.across ? "normalised score" : "return";
  return (
    <Card
      title="Performance profiles"
      aside={<ChartHelp title="a performance profile" text={help} />}
    >
      <p className="mb-2 text-xs text-ink-faint">
        The higher, the better; where two cross, neither is better throughout.
      </p>
      <LinePlot
        label={`Share of seeds above each ${what}, of ${plural(variants.length, "variant")}`}
        x={{ domain: [value[0] ?? 0, value.at(-1) ?? 1], label: what }}
        y={{ domain: [0, 1], label: "share of seeds that did better", format: shareText }}
        lines={profileLines(results)}
      />
      {left_out.length > 0 && (
        <p className="mt-2 text-xs text-ink-faint">
          {plural(left_out.length, "variant")} beyond the best {variants.length} not drawn.
        </p>
      )}
    </Card>
  );
}

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

/** The same points as steps: each value also at the start of the next one. */
function heldUntilNext<Row extends readonly [x: number, ...values: number[]]>(
  rows: readonly Row[],
): Row[] {
  return rows.flatMap((row, i) => {
    const next = rows[i + 1];
    return next ? [row, [next[0], ...row.slice(1)] as unknown as Row] : [row];
  });
}
