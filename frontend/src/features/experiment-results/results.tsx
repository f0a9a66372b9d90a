import { Boundary } from "@/components/ui/boundary";
import type { ExperimentResults } from "@/lib/api";
import { ImprovementMatrix } from "./improvement-matrix";
import { ProfileCard } from "./profile-card";
import { ResultCurves } from "./result-curves";
import { ScoreTable } from "./score-table";
import { StepsTable } from "./steps-table";
import { VerdictCard } from "./verdict-card";

/** What an experiment has shown, from the words to the figures behind them. */
export function Results({ results }: { results: ExperimentResults }) {
  return (
    <>
      <VerdictCard results={results} />
      <ScoreTable results={results} />
      <Boundary what="The curves">
        <ResultCurves results={results} />
      </Boundary>
      <ImprovementMatrix results={results} />
      <ProfileCard results={results} />
      <StepsTable results={results} />
    </>
  );
}
