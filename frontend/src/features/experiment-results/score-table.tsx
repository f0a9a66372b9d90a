import { useState } from "react";
import { madeText } from "@/api/made";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { KeepPreset } from "@/screens/shared/keep-preset";
import { Card } from "@/ui/card";
import { columnHelp, FIGURES } from "./figure-cell";
import { ForestFoot } from "./forest-plot";
import { bestFirst, showsSeeds } from "./labels";
import { ScoreRow } from "./score-row";

/**
 * Variants with their scores, the best first: summed up, as a forest plot, and of each seed with a link to its run. On
 * a narrow screen each variant is a block that opens. Of several environments there is no plot: their returns have no
 * scale in common.
 */
export function ScoreTable({ experiment, results }: ScoreTableProps) {
  const [kept, setKept] = useState<ExperimentResults["variants"][number] | null>(null);
  const { cost } = results;
  const variants = bestFirst(results.variants);
  if (results.scored === 0 && results.failed === 0) return null; // the verdict says so
  const withSeeds = showsSeeds(results);
  const several = results.across != null;
  const forest = several ? null : results.forest;
  const figures = FIGURES.filter(({ name }) => variants.some((one) => one[name] !== null));
  const helpOf = (name: (typeof FIGURES)[number]["name"]) => columnHelp(variants, name);
  return (
    <Card
      title={several ? "Scores on each environment" : "Scores"}
      aside={
        <span className="md:hidden">
          <ChartHelp title="the interquartile mean" text={helpOf("iqm")} />
        </span>
      }
      bodyClass="relative overflow-x-auto p-4"
    >
      <p className="mb-3 text-xs text-ink-faint">Score: {results.score_definition}.</p>
      <table className="w-full text-sm tabular-nums max-md:block md:min-w-220">
        <thead className="text-left text-xs text-ink-soft max-md:sr-only">
          <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
            <th scope="col">Variant</th>
            {figures.map(({ name, title }) => (
              <th key={name} scope="col">
                <span className="flex items-center gap-1">
                  {title}
                  {helpOf(name) && <ChartHelp title={title} text={helpOf(name)} />}
                </span>
              </th>
            ))}
            {forest && (
              <th scope="col" className="w-1/4">
                Forest plot
              </th>
            )}
            {withSeeds && <th scope="col">Seeds</th>}
            <th scope="col">
              <span className="flex items-center gap-1">
                Core-seconds
                <ChartHelp title="a core-second" text={madeText(cost.made)} />
              </span>
            </th>
            <th scope="col">
              <span className="sr-only">Keep</span>
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {variants.map((variant) => (
            <ScoreRow
              key={variant.variant}
              {...{ variant, forest, figures, withSeeds, several }}
              cost={cost.variants.find((one) => one.variant === variant.variant)}
              costHelp={madeText(cost.made)}
              onKeep={() => setKept(variant)}
            />
          ))}
        </tbody>
        {forest && (
          <ForestFoot forest={forest} before={1 + figures.length} after={withSeeds ? 3 : 2} />
        )}
      </table>
      {kept && (
        <KeepPreset
          experiment={experiment}
          variant={kept.variant}
          what={`“${kept.label}”`}
          usual={kept.label.slice(0, MOST_LETTERS)}
          onClose={() => setKept(null)}
        />
      )}
    </Card>
  );
}

interface ScoreTableProps {
  /** Id of the experiment. */
  experiment: string;
  results: ExperimentResults;
}

/** Of the title of a preset. */
const MOST_LETTERS = 60;
