import { ChartHelp } from "@/components/charts";
import { Card } from "@/components/ui/card";
import { Progress } from "@/components/ui/progress";
import type { ExperimentResults } from "@/lib/api";
import { count, plural } from "@/lib/format";
import { madeText } from "@/lib/made";

/** What the intervals carry in words, and of how many trials. */
export function VerdictCard({ results }: { results: ExperimentResults }) {
  const { verdict, trials, scored, failed, complete, cost } = results;
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
      <p className="mt-3 flex flex-wrap items-center gap-x-1.5 text-xs text-ink-faint tabular-nums">
        {scored} of {plural(trials, "trial")} scored
        {failed > 0 && `, ${failed} failed`}
        {!complete && ", not all have ended"} · {count(Math.round(cost.core_seconds))} core-seconds
        <ChartHelp title="a core-second" text={madeText(cost.made)} />
      </p>
      {!complete && (
        <Progress
          share={trials > 0 ? (scored + failed) / trials : 0}
          label="Trials that have ended"
          className="mt-2"
        />
      )}
    </Card>
  );
}
