import type { ComparedRun, Comparison, Run } from "@/api/types";
import { duration } from "@/lib/format-time";
import { interval, NONE, plural } from "@/lib/number";
import { unsolvedWords } from "@/lib/solved";
import { seconds } from "./figures";
import { type ComparedColumn, groupSeriesId } from "./series-styles";

/** A line of the charts with its run or group. */
export interface LegendRow {
  /** Id of its series. */
  id: string;
  /** Id of the run whose colour and dash it has. */
  styledBy: string;
  name: string;
  /** One run, or the seeds of a group. */
  runs: readonly Run[];
  isGroup: boolean;
  /** Final return: of a group the interquartile mean. */
  value: number | null;
  /** That of each of `runs`. */
  values: readonly (number | null)[];
  /** Its interval over seeds; empty for a run. */
  interval: string;
  /** Seeds that have a final return; null for a run. */
  seeds: number | null;
  /** Environment steps done; of a group by the seed that did most. */
  step: number;
  /** Seconds of training until it was solved; null: it was not. */
  solved: number | null;
  solvedText: string;
  /** The figures in which it is clearly best. */
  bestIn: readonly string[];
}

/** The rows of the legend, in the order of the columns of other tables. */
export function legendRows(
  columns: readonly ComparedColumn[],
  runs: readonly Run[],
  comparison: Comparison | undefined,
): LegendRow[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const compared = new Map(comparison?.runs.map((one) => [one.run.id, one]));
  return columns.flatMap(({ id, label, group }): LegendRow[] => {
    const ours = (group?.runIds ?? [id]).flatMap((one) => byId.get(one) ?? []);
    const found = ours.flatMap((run) => compared.get(run.id) ?? []);
    if (ours.length === 0) return [];
    const figures = comparison?.figures ?? [];
    const final = figures.find((figure) => figure.id === "final_moving_average");
    const ofGroup = group && final?.groups[group.id];
    return [
      {
        ...{ styledBy: id, name: label, runs: ours, isGroup: group !== null },
        id: group ? groupSeriesId(group.id) : id,
        value: (group ? ofGroup?.value : final?.values[id]) ?? null,
        values: ours.map((run) => final?.values[run.id] ?? null),
        interval: ofGroup ? interval(ofGroup.low, ofGroup.high) : "",
        seeds: ofGroup ? ofGroup.count : null,
        step: Math.max(...ours.map(({ step }) => step)),
        ...(group ? solvedSeeds(found) : solvedRun(ours[0]!, found[0])),
        bestIn: group ? [] : figures.filter(({ best }) => best === id).map(({ title }) => title),
      },
    ];
  });
}

type Solved = Pick<LegendRow, "solved" | "solvedText">;

function solvedRun(run: Run, found: ComparedRun | undefined): Solved {
  const at = found?.solved;
  if (at) {
    const text = at.seconds === null ? "yes" : seconds(at.seconds);
    return { solved: at.seconds, solvedText: text };
  }
  const hasThreshold = found !== undefined && found.threshold !== null;
  return { solved: null, solvedText: hasThreshold ? unsolvedWords(run) : NONE };
}

/** Of seeds: the median of the seconds, in which those that were not solved are the slowest, and how many were solved. */
function solvedSeeds(seeds: readonly ComparedRun[]): Solved {
  if (seeds.every(({ threshold }) => threshold === null)) return { solved: null, solvedText: NONE };
  const count = seeds.filter(({ solved }) => solved !== null).length;
  const of = `${count} of ${plural(seeds.length, "seed")}`;
  const time = median(seeds.map(({ solved }) => solved?.seconds ?? Infinity));
  if (!Number.isFinite(time)) return { solved: null, solvedText: of };
  return {
    solved: time,
    solvedText: `${time < 60 ? seconds(time) : duration(time * 1000)} · ${of}`,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted(compare);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

export const SORTS = ["name", "value", "step", "solved"] as const;
export type Sort = (typeof SORTS)[number];

/** Rows by a column: the best first, and those without a value last. */
export function sortedRows(rows: readonly LegendRow[], by: Sort | null): readonly LegendRow[] {
  if (by === null) return rows;
  const place = (row: LegendRow) => {
    if (by === "name") return 0;
    const value = row[by];
    if (value === null) return Infinity;
    return by === "solved" ? value : -value;
  };
  return rows.toSorted((a, b) =>
    by === "name"
      ? a.name.localeCompare(b.name, "en", { numeric: true })
      : compare(place(a), place(b)),
  );
}

/** Not `a - b`, since Infinity − Infinity is NaN. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
