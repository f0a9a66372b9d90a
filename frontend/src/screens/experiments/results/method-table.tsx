import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { madeText, madeTexts } from "@/api/method-text";
import type { ExperimentResults, Made } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { decimal, interval, plural } from "@/lib/number";
import { Card } from "@/ui/card";
import { ForestFoot, ForestLine } from "./forest-plot";

/**
 * Methods over all environments that they share, best first: normalised scores as figures and as a forest plot. Hidden
 * if all variants train in one environment.
 */
export function MethodTable({ results }: { results: ExperimentResults }) {
  const { across } = results;
  if (!across || across.methods.length === 0) return null;
  const { environments, forest } = across;
  const methods = bestFirst(across.methods);
  const figures = FIGURES.filter(({ name }) => methods.some((one) => one[name] !== null));
  return (
    <Card
      title={`Scores over ${plural(environments.length, "environment")}`}
      bodyClass="relative flex flex-col gap-3 overflow-x-auto p-4"
    >
      <p className="max-w-3xl text-xs text-ink-faint">
        Normalised: 0 is the mean return of random actions, 1 the threshold of the environment:{" "}
        {environments
          .map(
            ({ environment, random_return, threshold }) =>
              `${decimal(random_return)} and ${decimal(threshold)} on ${environment}`,
          )
          .join("; ")}
        .
      </p>
      <table className="w-full text-sm tabular-nums max-md:block md:min-w-180">
        <thead className="text-left text-xs text-ink-soft max-md:sr-only">
          <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
            <th scope="col">Method</th>
            {figures.map(({ name, title }) => (
              <th key={name} scope="col">
                <span className="flex items-center gap-1">
                  {title}
                  <ChartHelp
                    title={`${title} over environments`}
                    text={columnHelp(methods, name, "method")}
                  />
                </span>
              </th>
            ))}
            <th scope="col" className="w-2/5">
              Forest plot
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {methods.map((method) => (
            <MethodRow key={method.variant} {...{ method, forest, figures }} />
          ))}
        </tbody>
        <ForestFoot forest={forest} before={1 + figures.length} after={0} />
      </table>
    </Card>
  );
}

type Across = NonNullable<ExperimentResults["across"]>;

interface MethodRowProps {
  method: Across["methods"][number];
  forest: Across["forest"];
  figures: readonly (typeof FIGURES)[number][];
}

function MethodRow({ method, forest, figures }: MethodRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <tr className="border-b border-line align-top last:border-0 max-md:flex max-md:flex-col max-md:gap-1.5 max-md:py-3 md:[&>*]:py-2 md:[&>*]:pr-4">
      <th scope="row" className="text-left font-medium break-words md:max-w-56">
        {method.label}
        <span className="block text-2xs font-normal text-ink-faint">
          {plural(method.n, "score")}
          {method.failed > 0 && `, ${method.failed} failed`}
        </span>
      </th>
      {figures.map((figure) => (
        <FigureCell key={figure.name} of={method} {...{ figure, isOpen }} />
      ))}
      <td>
        <ForestLine forest={forest} variant={method} />
      </td>
      <RowOpener label={method.label} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
    </tr>
  );
}

export const FIGURES = [
  { name: "iqm", title: "IQM [95 %]", brief: "IQM" },
  { name: "median", title: "Median [quartiles]", brief: "Median" },
  { name: "mean", title: "Mean", brief: "Mean" },
  { name: "std", title: "Std", brief: "Std" },
  { name: "optimality_gap", title: "Optimality gap", brief: "Optimality gap" },
] as const;

type Figure = (typeof FIGURES)[number];
type Scored = ExperimentResults["variants"][number];

/** The content of the cell of a figure. */
function inCell(name: Figure["name"]): readonly string[] {
  return name === "median" ? [name, "lower_quartile", "upper_quartile"] : [name];
}

function madeOf({ made }: Scored, name: Figure["name"]): Made[] {
  return inCell(name).flatMap((one) => made[one] ?? []);
}

/** How the figures of a column were computed; empty if there are none. `one`: word for a row. */
export function columnHelp(rows: readonly Scored[], name: Figure["name"], one?: string): string {
  const scored = rows.filter(({ n }) => n > 0);
  return inCell(name)
    .map((each) =>
      madeTexts(
        scored.flatMap(({ label, made }) => (made[each] ? [{ label, made: made[each] }] : [])),
        one,
      ),
    )
    .filter(Boolean)
    .join("\n");
}

interface FigureCellProps {
  figure: Figure;
  of: Scored;
  /** Whether the row is open on a narrow screen. Otherwise it shows only the interquartile mean. */
  isOpen: boolean;
}

/** A figure of a variant. How it was made is its title, and on an opened row of a narrow screen its help. */
export function FigureCell({ figure: { name, brief }, of, isOpen }: FigureCellProps) {
  const made = madeOf(of, name).map(madeText).join("\n") || undefined;
  const { lower_quartile: lower, upper_quartile: upper } = of;
  return (
    <td
      title={made}
      className={clsx("whitespace-nowrap", name !== "iqm" && !isOpen && "max-md:hidden")}
    >
      <NarrowName name={brief} of={of.label} help={isOpen ? made : undefined} />
      {decimal(of[name])}
      {name === "iqm" && of.n > 0 && (
        <span className="text-xs text-ink-soft"> {interval(of.low, of.high)}</span>
      )}
      {name === "median" && of.n > 1 && lower != null && upper != null && (
        <span className="text-xs text-ink-soft"> {interval(lower, upper)}</span>
      )}
    </td>
  );
}

interface NarrowNameProps {
  name: string;
  /** Whose figure it is. */
  of: string;
  help?: string | undefined;
}

/** Label of a figure on a narrow screen, where the table has no header. */
export function NarrowName({ name, of, help }: NarrowNameProps) {
  return (
    <span className="mr-1.5 inline-flex items-center gap-1 text-xs text-ink-faint md:hidden">
      {name}
      {help && <ChartHelp title={`${name} of ${of}`} text={help} />}
    </span>
  );
}

interface RowOpenerProps {
  label: string;
  isOpen: boolean;
  onToggle: () => void;
}

/** The cell that opens a row on a narrow screen. */
export function RowOpener({ label, isOpen, onToggle }: RowOpenerProps) {
  return (
    <td className="md:hidden">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`All figures of ${label}`}
        onClick={onToggle}
        className="flex min-h-8 items-center gap-1 rounded-md text-xs text-ink-soft hover:text-ink"
      >
        <ChevronRight
          aria-hidden
          className={clsx("size-3.5 text-ink-faint transition-transform", isOpen && "rotate-90")}
        />
        All figures
      </button>
    </td>
  );
}

const MOST_VARIANTS = 12;
const MOST_TRIALS = 200;

/** Whether tables and pictures show each seed by itself too; of very many the trials above show them. */
export function showsSeeds({ variants, trials }: ExperimentResults): boolean {
  return variants.length <= MOST_VARIANTS && trials <= MOST_TRIALS;
}

/** The subjects of verdict, pairs and profiles: the variants or, with several environments, the methods. */
export function comparedIn({ across, variants }: ExperimentResults): readonly Scored[] {
  return across?.methods ?? variants;
}

/** The same from the best to the worst; those without scores come last, in the order of the specification. */
export function bestFirst<One extends Pick<Scored, "rank">>(variants: readonly One[]): One[] {
  const standing = ({ rank }: One) => rank ?? variants.length + 1;
  return variants.toSorted((one, other) => standing(one) - standing(other));
}

/** Steps to the threshold of the variants that were trained, the best by score first. */
export function arrivalsOf({ thresholds, variants }: ExperimentResults) {
  const known = new Map(thresholds?.variants.map((one) => [one.variant, one]));
  return bestFirst(variants).flatMap(({ variant }) => known.get(variant) ?? []);
}

/** Labels of variants by id. */
export function labelsOf(
  variants: readonly { variant: string; label: string }[],
): (id: string) => string {
  const known = new Map(variants.map(({ variant, label }) => [variant, label]));
  return (id) => known.get(id) ?? id;
}

/** The place of each variant in the specification: the same colour in every picture. */
export function placesOf(variants: readonly { variant: string }[]): (id: string) => number {
  const known = new Map(variants.map(({ variant }, place) => [variant, place]));
  return (id) => known.get(id) ?? 0;
}
