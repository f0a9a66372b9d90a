import clsx from "clsx";
import { madeText } from "@/api/method-text";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { Boundary } from "@/ui/boundary";
import { Card } from "@/ui/card";
import { ImprovementMatrix } from "./improvement-matrix";
import { MethodTable } from "./method-table";
import { ProfileCard } from "./profile-card";
import { ResultCurves } from "./result-curves";
import { ScoreTable } from "./score-table";
import { StepsTable } from "./steps-table";

interface ResultsProps {
  /** Id of the experiment. */
  experiment: string;
  results: ExperimentResults;
}

/** The results of an experiment, from the verdict to the figures behind it. */
export function Results({ experiment, results }: ResultsProps) {
  return (
    <>
      <VerdictCard results={results} />
      <MethodTable results={results} />
      <ScoreTable experiment={experiment} results={results} />
      <Boundary what="The curves">
        <ResultCurves results={results} />
      </Boundary>
      <div
        className={clsx(
          "grid min-w-0 gap-4",
          hasSmallMatrix(results) && "xl:grid-cols-[minmax(22rem,auto)_minmax(0,1fr)]",
        )}
      >
        <ImprovementMatrix results={results} />
        <ProfileCard results={results} />
      </div>
      <StepsTable results={results} />
    </>
  );
}

/** Whether the profiles find room beside the matrix of pairs. */
function hasSmallMatrix({ improvements: { pairs, variants } }: ExperimentResults): boolean {
  return pairs.length > 0 && variants.length <= MOST_BESIDE;
}

const MOST_BESIDE = 3;

/** What the intervals carry, in words. */
function VerdictCard({ results }: { results: ExperimentResults }) {
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
