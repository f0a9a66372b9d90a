import { madeText } from "@/api/made";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { Card } from "@/ui/card";

/** What the intervals carry, in words. */
export function VerdictCard({ results }: { results: ExperimentResults }) {
  const { verdict } = results;
  return (
    <Card label="Verdict">
      <h2 className="flex items-start gap-1.5 text-lg font-semibold">
        {verdict.headline}
        <ChartHelp title="the verdict" text={madeText(verdict.made)} />
      </h2>
      <ul className="mt-1 flex max-w-3xl flex-col gap-1 text-sm text-ink-soft">
        {verdict.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
        {verdict.cautions.map((caution) => (
          <li key={caution} className="text-xs text-warn">
            {caution}
          </li>
        ))}
      </ul>
    </Card>
  );
}
