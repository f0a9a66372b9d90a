import { PLOT_INSET } from "../plot/options";
import type { Interval } from "../prepare/model";

/** Range and position of a chart's axis, for what is drawn below the chart to line up with it. */
export interface ChartAxis {
  /** The part of the axis that is shown, in its units. */
  range: Interval;
  /** Width of the whole chart in pixels. */
  width: number;
}

/** Pixels between the edges of a chart and those of its axis. */
export const CHART_INSET = { left: PLOT_INSET.left, right: PLOT_INSET.right };
