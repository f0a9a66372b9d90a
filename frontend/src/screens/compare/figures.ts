import { madeTexts } from "@/api/method-text";
import type { ComparedRun, Comparison, FigureComparison, GroupFigure } from "@/api/types";
import { duration } from "@/lib/format-time";
import { brief, count, decimal, noInterval, NONE, plural } from "@/lib/number";
import { solvedWords, unsolvedWords } from "@/lib/solved";
import type { ComparedColumn } from "./series-styles";

export interface FigureCell {
  columnId: string;
  text: string;
  /** Of seeds: the interval, and how many have the figure where not all do. */
  detail: string;
  /** How many seeds the interval is of; null for a run. */
  seeds: number | null;
  best: boolean;
}

export interface FigureRow {
  id: string;
  label: string;
  /** How the figure is measured, in a few words. */
  note: string;
  /** Why one run is best, or why none is; for groups of seeds, how the figure is computed. */
  reason: string;
  cells: FigureCell[];
}

/**
 * Rows of the table of figures, with the service's judgement of each. For groups of seeds, no run is marked as best: a
 * single seed may just be the luckiest, and the verdict says which setting is better.
 */
export function figureRows(
  { figures, runs, threshold }: Comparison,
  columns: readonly ComparedColumn[],
): FigureRow[] {
  const isGrouped = columns.some(({ group }) => group !== null);
  const rows = figures.map((figure) => ({
    ...{ id: figure.id, label: figure.title, note: figure.note },
    reason: isGrouped ? summedUp(figure, columns) : figure.reason,
    cells: columns.map(({ id, group }): FigureCell => {
      const ofSeeds = group && figure.groups[group.id];
      const value = (group ? ofSeeds?.value : figure.values[id]) ?? null;
      return {
        columnId: id,
        text: value === null ? missing(figure, threshold, ofSeeds?.count) : shown(figure, value),
        detail: ofSeeds ? seedsDetail(figure, ofSeeds) : "",
        seeds: ofSeeds ? ofSeeds.count : null,
        best: !isGrouped && figure.best === id,
      };
    }),
  }));
  return [solvedRow(runs, columns), ...rows];
}

function solvedRow(runs: Comparison["runs"], columns: readonly ComparedColumn[]): FigureRow {
  const byId = new Map(runs.map((one) => [one.run.id, one]));
  return {
    ...{
      id: "solved",
      label: "Solved",
      note: "step at which it reached the threshold, and by which evidence",
    },
    reason: "",
    cells: columns.map(({ id, group }) => ({
      ...{ columnId: id, detail: "", seeds: null, best: false },
      text: group
        ? solvedSeeds(group.runIds.flatMap((one) => byId.get(one) ?? []))
        : solvedText(byId.get(id)!),
    })),
  };
}

function solvedText({ run, solved, threshold }: ComparedRun): string {
  if (solved) return `${solvedWords(solved)}, by ${solved.by}`;
  return threshold === null ? NONE : unsolvedWords(run);
}

function solvedSeeds(seeds: readonly ComparedRun[]): string {
  if (seeds.every(({ threshold }) => threshold === null)) return NONE;
  return `${seeds.filter(({ solved }) => solved !== null).length} of ${plural(seeds.length, "seed")}`;
}

function summedUp(figure: FigureComparison, columns: readonly ComparedColumn[]): string {
  const made = columns.flatMap(({ label, group }) => {
    const found = group && figure.groups[group.id];
    return found ? [{ label, made: found.made }] : [];
  });
  return madeTexts(made, "group");
}

/** `[475.1, 488.0]`, and `4 of 5 seeds` where not all have the figure. */
function seedsDetail(figure: FigureComparison, { low, high, count, seeds }: GroupFigure): string {
  if (count === 0) return "";
  const from = low === null ? NONE : endText(figure, low);
  const to = high === null ? "not reached" : endText(figure, high);
  const known = low !== null || high !== null;
  return [
    known ? `[${from}, ${to}]` : count === 1 ? noInterval() : "",
    count < seeds ? `${count} of ${plural(seeds, "seed")}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Formatted like the figure, without its sign. */
function endText(figure: FigureComparison, value: number): string {
  return figure.id === "stability" ? decimal(value) : shown(figure, value);
}

/** `reached`: of seeds, how many got there. */
function missing(
  { id }: FigureComparison,
  threshold: number | null,
  reached: number | undefined,
): string {
  if (!id.endsWith("_to_threshold") || threshold === null) return NONE;
  return reached ? "fewer than half reached it" : "not reached";
}

function shown({ id, unit }: FigureComparison, value: number): string {
  if (id === "stability") return `± ${decimal(value)}`;
  if (unit === "s") return seconds(value);
  if (unit === "steps") return count(value);
  return unit === "steps/s" ? brief(value) : decimal(value);
}

/** `12.3 s`, `1m 05s`: with a decimal below a minute, since fast environments are solved in seconds. */
export function seconds(value: number): string {
  return value < 60 ? `${value.toFixed(1)} s` : duration(value * 1000);
}
