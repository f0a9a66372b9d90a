import clsx from "clsx";
import { Bookmark } from "lucide-react";
import Link from "next/link";
import { Button } from "@/components/ui/button";
import type { ExperimentResults } from "@/lib/api";
import { count, decimal, interval, plural } from "@/lib/format";
import { madeText } from "@/lib/made";
import { routes } from "@/lib/url";
import { ForestLine } from "./forest-plot";

export const FIGURES = [
  { name: "iqm", title: "IQM [95 %]" },
  { name: "median", title: "Median" },
  { name: "mean", title: "Mean" },
  { name: "std", title: "Std" },
  { name: "optimality_gap", title: "Optimality gap" },
] as const;

interface ScoreRowProps {
  variant: ExperimentResults["variants"][number];
  forest: ExperimentResults["forest"] | null;
  figures: readonly (typeof FIGURES)[number][];
  cost: ExperimentResults["cost"]["variants"][number] | undefined;
  /** Whether each seed has its score. */
  withSeeds: boolean;
  /** Whether variants are trained in several environments. */
  several: boolean;
  onKeep: () => void;
}

/** One variant with its scores. What a figure is, and of how many scores it was made, is its title. */
export function ScoreRow(props: ScoreRowProps) {
  const { variant: one, forest, figures, cost, withSeeds, several, onKeep } = props;
  const title = (name: string) => one.made[name] && madeText(one.made[name]);
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
      {figures.map(({ name }) => (
        <td
          key={name}
          title={title(name)}
          className={clsx("whitespace-nowrap", name !== "iqm" && "max-md:hidden")}
        >
          {name === "iqm" && <span className="text-xs text-ink-faint md:hidden">IQM </span>}
          {decimal(one[name])}
          {name === "iqm" && one.n > 0 && (
            <span className="text-xs text-ink-soft"> {interval(one.low, one.high)}</span>
          )}
        </td>
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
                  <span className="sr-only">Seed {seed}: </span>
                  {decimal(score)}
                </Link>
              </li>
            ))}
          </ul>
        </td>
      )}
      <td
        className="max-md:hidden"
        title={
          cost && `Of ${plural(cost.trials, "trial")} with ${count(cost.steps)} steps together`
        }
      >
        {count(Math.round(cost?.core_seconds ?? 0))}
      </td>
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
