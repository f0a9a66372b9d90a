import clsx from "clsx";
import { Bookmark } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import type { ExperimentResults } from "@/api/types";
import { count, decimal, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { FigureCell, type FIGURES, NarrowName, RowOpener } from "./figure-cell";
import { ForestLine } from "./forest-plot";

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

/** One variant with its scores. On a narrow screen it shows what matters most, and all of it once it is opened. */
export function ScoreRow(props: ScoreRowProps) {
  const { variant: one, forest, figures, cost, costHelp, withSeeds, several, onKeep } = props;
  const [isOpen, setOpen] = useState(false);
  const spent =
    cost && `Of ${plural(cost.trials, "trial")} with ${count(cost.steps)} steps together`;
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
                <Link
                  href={routes.run(run_id)}
                  title={`Seed ${seed}`}
                  className="rounded-sm text-accent hover:underline"
                >
                  <span className={isOpen ? "text-ink-faint md:sr-only" : "sr-only"}>
                    Seed {seed}:{" "}
                  </span>
                  {decimal(score)}
                </Link>
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
