import { madeTexts } from "@/api/made";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { LinePlot } from "@/charts/figure";
import { plural, shareText } from "@/lib/number";
import { Card } from "@/ui/card";
import { comparedIn, labelsOf } from "./labels";
import { profileLines } from "./profile-lines";

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
