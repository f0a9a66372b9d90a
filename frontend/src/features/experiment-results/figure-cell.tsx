import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { madeText, madeTexts } from "@/api/made";
import type { ExperimentResults, Made } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { decimal, interval } from "@/lib/number";

export const FIGURES = [
  { name: "iqm", title: "IQM [95 %]", brief: "IQM" },
  { name: "median", title: "Median [quartiles]", brief: "Median" },
  { name: "mean", title: "Mean", brief: "Mean" },
  { name: "std", title: "Std", brief: "Std" },
  { name: "optimality_gap", title: "Optimality gap", brief: "Optimality gap" },
] as const;

type Figure = (typeof FIGURES)[number];
type Scored = ExperimentResults["variants"][number];

/** All that stands in the cell of a figure. */
function inCell(name: Figure["name"]): readonly string[] {
  return name === "median" ? [name, "lower_quartile", "upper_quartile"] : [name];
}

function madeOf({ made }: Scored, name: Figure["name"]): Made[] {
  return inCell(name).flatMap((one) => made[one] ?? []);
}

/** How the figures of a column were made; empty if none was. `one`: what a row is. */
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
  /** Whether the row is opened on a narrow screen, where it shows the interquartile mean alone otherwise. */
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

/** Stands before a figure where the table has no head to name it: on a narrow screen. */
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
