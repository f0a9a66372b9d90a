import { PLOT_INSET } from "../plot/options";
import type { Interval } from "../prepare/model";

/** Where a chart's axis lies: what is drawn under the chart can stand at the same places. */
export interface ChartAxis {
  /** What is shown of it, in its units. */
  range: Interval;
  /** Pixels of the whole chart. */
  width: number;
}

/** Pixels between the edges of a chart and those of its axis. */
export const CHART_INSET = { left: PLOT_INSET.left, right: PLOT_INSET.right };
