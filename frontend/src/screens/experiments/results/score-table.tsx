import clsx from "clsx";
import { Bookmark } from "lucide-react";
import { useState } from "react";
import { madeText } from "@/api/method-text";
import type { ExperimentResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { count, decimal, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { KeepPreset } from "@/screens/shared/keep-preset";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";
import { ForestFoot, ForestLine } from "./forest-plot";
import {
  bestFirst,
  columnHelp,
  FigureCell,
  FIGURES,
  NarrowName,
  RowOpener,
  showsSeeds,
} from "./method-table";

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

interface ScoreRowProps {
  variant: ExperimentResults["variants"][number];
  forest: ExperimentResults["forest"] | null;
  figures: readonly (typeof FIGURES)[number][];
  cost: ExperimentResults["cost"]["variants"][number] | undefined;
  /** What a core-second is. */
  costHelp: string;
  /** Whether each seed has its score. */
  withSeeds: boolean;
  /** Whether variants are trained in several environments. */
  several: boolean;
  onKeep: () => void;
}

/** One variant with its scores. On a narrow screen it shows the main figures, and all of them when opened. */
function ScoreRow(props: ScoreRowProps) {
  const { variant: one, forest, figures, cost, costHelp, withSeeds, several, onKeep } = props;
  const [isOpen, setOpen] = useState(false);
  const spent =
    cost && `Of ${plural(cost.trials, "trial")} with ${count(cost.steps)} steps in total`;
  return (
    <tr className="border-b border-line align-top last:border-0 max-md:relative max-md:flex max-md:flex-col max-md:gap-1.5 max-md:py-3 md:[&>*]:py-2 md:[&>*]:pr-4">
      <th scope="row" className="text-left font-medium break-words max-md:pr-10 md:max-w-56">
        {one.label}
        <span className="block text-2xs font-normal whitespace-nowrap text-ink-faint">
          {several && `${one.environment} · `}
          {one.n} of {plural(one.trials, "seed")}
          {one.failed > 0 && `, ${one.failed} failed`}
        </span>
      </th>
      {figures.map((figure) => (
        <FigureCell key={figure.name} of={one} {...{ figure, isOpen }} />
      ))}
      {forest && (
        <td>
          <ForestLine forest={forest} variant={one} />
        </td>
      )}
      {withSeeds && (
        <td>
          <ul className="flex max-w-64 flex-wrap gap-x-2 text-xs">
            {one.scores.map(({ seed, run_id, score }) => (
              <li key={seed}>
                <HoverLink
                  href={routes.run(run_id)}
                  title={`Seed ${seed}`}
                  className="rounded-sm text-accent hover:underline"
                >
                  <span className={isOpen ? "text-ink-faint md:sr-only" : "sr-only"}>
                    Seed {seed}:{" "}
                  </span>
                  {decimal(score)}
                </HoverLink>
              </li>
            ))}
          </ul>
        </td>
      )}
      <td className={clsx(!isOpen && "max-md:hidden")} title={spent}>
        <NarrowName
          name="Core-seconds"
          of={one.label}
          help={isOpen ? [spent, costHelp].filter(Boolean).join(". ") : undefined}
        />
        {count(Math.round(cost?.core_seconds ?? 0))}
      </td>
      <RowOpener label={one.label} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      <td className="py-1! pr-0! max-md:absolute max-md:top-2 max-md:right-0">
        {one.n > 0 && (
          <Button
            size="sm"
            variant="quiet"
            needsService
            aria-label={`Keep “${one.label}” as a preset`}
            title="Keep as a preset"
            icon={<Bookmark aria-hidden className="size-3.5" />}
            onClick={onKeep}
          />
        )}
      </td>
    </tr>
  );
}
