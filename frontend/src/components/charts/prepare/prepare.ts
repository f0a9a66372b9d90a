import { compact, decimal, plural } from "@/lib/format";
import { align } from "./align";
import type { ChartModel, ChartSpec, ColumnSource } from "./model";
import { stepRange, valueRange } from "./scales";
import { thinForScreen } from "./thin";

/** More than a wide screen has pixels for; less than it takes to slow a frame. */
const SCREEN_POINTS = 3000;

const CROWD = 500;
const CROWD_ALPHA = 0.45;

export function prepare(
  spec: ChartSpec,
  source: ColumnSource,
  screenPoints = SCREEN_POINTS,
): ChartModel {
  const columns = spec.series.map(({ metric }) => source.column(metric));
  const data = align(columns.map((column) => thinForScreen(column, screenPoints)));
  const [steps, ...ys] = data;
  const model = {
    data,
    x: stepRange(steps),
    y: valueRange(
      ys,
      spec.references.map(({ value }) => value),
    ),
    latest: columns.map((column) => column.latest()),
    points: columns.reduce((sum, { length }) => sum + length, 0),
    lastStep: steps.at(-1) ?? 0,
    pointAlpha: steps.length > CROWD ? CROWD_ALPHA : 1,
  };
  return { ...model, summary: summarize(spec, model) };
}

/** The chart in a sentence, for those who do not see it. */
function summarize(spec: ChartSpec, model: Omit<ChartModel, "summary">): string {
  if (model.points === 0) return `${spec.title}: ${spec.empty}`;
  const values = spec.series.map(({ label }, i) => `${label} ${decimal(model.latest[i])}`);
  const levels = spec.references.map(({ label, value }) => `${label} ${decimal(value)}`);
  const where = `at step ${compact(model.lastStep)}`;
  return `${spec.title} ${where}: ${[...values, ...levels].join(", ")}. ${plural(model.points, "point")}.`;
}
