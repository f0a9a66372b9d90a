import { csvOf } from "@/lib/csv";
import { lineOf } from "../prepare/curve";
import type { ChartSpec, PrepareOptions } from "../prepare/model";
import { labelAt } from "../prepare/readout";
import { firstFrom, slice } from "../prepare/slice";
import { smoothingLabel } from "../prepare/smoothing-label";

/**
 * CSV with one line for each point of every shown series within the window ("long form"), so that nothing is
 * interpolated.
 */
export function chartCsv(spec: ChartSpec, { window, hidden, smoothing }: PrepareOptions): string {
  const lines = [
    ["series", "metric", "x_axis", "x", "value", `value (${smoothingLabel(smoothing)})`],
  ];
  const cells: (string | number | null)[][] = lines;
  const shown = spec.series.filter(({ id }) => !hidden.has(id));
  for (const series of shown) {
    const { source, metric, negate } = series;
    const column = source.column(metric, window);
    const [from, to] = slice(column, window);
    const line = lineOf(series, column, smoothing);
    const first = window ? firstFrom(column, window[0]) : from;
    for (let i = first; i < to && (!window || column.x[i]! <= window[1]); i += 1) {
      const value = (y: number) => (Number.isNaN(y) ? null : negate ? -y : y);
      cells.push([
        labelAt(series),
        metric,
        source.axis,
        column.x[i]!,
        value(column.y[i]!),
        value(line[i]!),
      ]);
    }
  }
  return csvOf(cells);
}
