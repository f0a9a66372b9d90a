import { columnTitle } from "@/lib/column-title";
import { movedItem } from "@/lib/order";
import { createKeptStore } from "@/lib/store";

/** Ids of the columns that a list begins with, after the name, in their order. */
export const STANDARD = [
  "algo",
  "env_id",
  "preset",
  "status",
  "progress",
  "best",
  "trend",
  "age",
] as const;

export type StandardColumn = (typeof STANDARD)[number];

/** Columns with a setting or a figure of the run: a column of the service's table of runs. */
const METRIC = "metric:";

/** The id of the column with the newest value of a metric. */
export function metricColumn(name: string): string {
  return METRIC + name;
}

/** The metric that a column shows; null if it shows something else. */
export function metricOf(column: string): string | null {
  return column.startsWith(METRIC) ? column.slice(METRIC.length) : null;
}

export function isStandard(column: string): column is StandardColumn {
  return (STANDARD as readonly string[]).includes(column);
}

/** The columns after the name, in their order, and the widths in pixels that were set. */
export interface ColumnChoice {
  order: readonly string[];
  widths: Readonly<Record<string, number>>;
}

/** The choice of this browser; null: the standard columns, which change with the width of the page. */
export const columnChoice = createKeptStore<ColumnChoice | null>(
  "rlviz-run-columns",
  null,
  (kept) => (isChoice(kept) ? kept : null),
);

const COLUMN = /^(?:metric:)?[\w./-]{1,120}$/;
const MOST_COLUMNS = 40;

function isChoice(kept: unknown): kept is ColumnChoice {
  if (typeof kept !== "object" || kept === null) return false;
  const { order, widths } = kept as Partial<ColumnChoice>;
  return (
    Array.isArray(order) &&
    order.length <= MOST_COLUMNS &&
    order.every((id) => typeof id === "string" && COLUMN.test(id)) &&
    typeof widths === "object" &&
    widths !== null &&
    Object.values(widths).every((width) => Number.isFinite(width))
  );
}

const USUAL: Record<StandardColumn, number> = {
  algo: 68,
  env_id: 128,
  preset: 84,
  status: 108,
  progress: 150,
  best: 84,
  trend: 104,
  age: 76,
};
const USUAL_EXTRA = 104;

export const NARROWEST = 44;
export const WIDEST = 480;
export const NARROWEST_NAME = 160;
/** Pixels of a line beside its columns and their gaps: the box, the menu, and the space at both ends. */
const AROUND = 28 + 32 + 20;
const GAP = 14;

export function widthOf(column: string, { widths }: ColumnChoice): number {
  const width = widths[column] ?? (isStandard(column) ? USUAL[column] : USUAL_EXTRA);
  return Math.min(WIDEST, Math.max(NARROWEST, width));
}

/** Share of its width to which a column shrinks before the last columns are left out. */
const LEAST_SHARE = 0.65;

function narrowest(column: string, choice: ColumnChoice): number {
  return Math.max(NARROWEST, Math.floor(widthOf(column, choice) * LEAST_SHARE));
}

/** As many of the columns, from the first on, as fit beside the name in `available` pixels. */
export function fittingColumns(choice: ColumnChoice, available: number): readonly string[] {
  let left = available - AROUND - NARROWEST_NAME - 2 * GAP;
  let fit = 0;
  for (const column of choice.order) {
    left -= narrowest(column, choice) + GAP;
    if (left < 0) break;
    fit += 1;
  }
  return fit === choice.order.length ? choice.order : choice.order.slice(0, fit);
}

/** The columns of the grid: checkbox, name, the chosen ones, menu. The name takes the remaining width. */
export function gridTemplate(columns: readonly string[], choice: ColumnChoice): string {
  const widths = columns.map(
    (column) => `minmax(${narrowest(column, choice)}px, ${widthOf(column, choice)}px)`,
  );
  return ["28px", `minmax(${NARROWEST_NAME}px, 1fr)`, ...widths, "32px"].join(" ");
}

/** The choice with a column moved to the place of another one, or by a number of places. */
export function movedColumn(
  choice: ColumnChoice,
  column: string,
  to: string | number,
): ColumnChoice {
  const order = movedItem(choice.order, column, typeof to === "number" ? { by: to } : to);
  return order === choice.order ? choice : { ...choice, order };
}

export function resizedColumn(choice: ColumnChoice, column: string, width: number): ColumnChoice {
  const fitted = Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)));
  return { ...choice, widths: { ...choice.widths, [column]: fitted } };
}

/** The choice with a column added before the trend, so that it is in view, or removed. */
export function toggledColumn(choice: ColumnChoice, column: string): ColumnChoice {
  if (choice.order.includes(column)) {
    return { ...choice, order: choice.order.filter((other) => other !== column) };
  }
  if (choice.order.length >= MOST_COLUMNS) return choice;
  const order = [...choice.order];
  const trend = order.indexOf("trend");
  order.splice(trend < 0 ? order.length : trend, 0, column);
  return { ...choice, order };
}

/** The starting point of changes when no columns were chosen yet. */
export const STANDARD_CHOICE: ColumnChoice = { order: STANDARD, widths: {} };

export function changeColumns(change: (choice: ColumnChoice) => ColumnChoice) {
  columnChoice.set(change(columnChoice.get() ?? STANDARD_CHOICE));
}

/** The title of a column that is not one of the standard ones: `hp_learning_rate` → `learning_rate`. */
export function extraTitle(column: string, metricLabel: (name: string) => string): string {
  const metric = metricOf(column);
  if (metric !== null) return metricLabel(metric);
  if (column.startsWith("hp_")) return column.slice("hp_".length);
  return columnTitle(column);
}
