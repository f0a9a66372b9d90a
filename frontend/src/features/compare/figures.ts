import type { Comparison, FigureComparison } from "@/lib/api";
import { brief, count, decimal, duration, NONE, solvedWords, unsolvedWords } from "@/lib/format";

export interface FigureCell {
  runId: string;
  text: string;
  best: boolean;
}

export interface FigureRow {
  id: string;
  label: string;
  /** How the figure is measured, in a few words. */
  note: string;
  /** Why one run is best, or why none is. */
  reason: string;
  cells: FigureCell[];
}

/** Rows of the table of figures, with the service's judgement of each. */
export function figureRows({ figures, runs, threshold }: Comparison): FigureRow[] {
  const rows = figures.map((figure) => ({
    ...{ id: figure.id, label: figure.title, note: figure.note, reason: figure.reason },
    cells: runs.map(({ run }) => {
      const value = figure.values[run.id] ?? null;
      const text = value === null ? missing(figure, threshold) : shown(figure, value);
      return { runId: run.id, text, best: figure.best === run.id };
    }),
  }));
  return [solvedRow(runs), ...rows];
}

function solvedRow(runs: Comparison["runs"]): FigureRow {
  return {
    ...{ id: "solved", label: "Solved", note: "when it reached its threshold, and what showed it" },
    reason: "",
    cells: runs.map(({ run, solved, threshold }) => ({
      ...{ runId: run.id, best: false },
      text: solved
        ? `${solvedWords(solved)}, by ${solved.by}`
        : threshold === null
          ? NONE
          : unsolvedWords(run),
    })),
  };
}

function missing({ id }: FigureComparison, threshold: number | null): string {
  return id.endsWith("_to_threshold") && threshold !== null ? "not reached" : NONE;
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
