"use client";

import { useCursor } from "../live/chart-group";
import type { LiveChart } from "../live/live-chart";
import type { ChartModel } from "../prepare/model";
import { positionLabel } from "../prepare/readout";

/** The cursor's position, in the chart's corner. Beside the legend it would wrap lines and move the chart. */
export function ChartPosition({ chart, model }: { chart: LiveChart; model: ChartModel }) {
  const cursor = useCursor(chart.group);
  const [from, to] = model.x;
  if (cursor === null || cursor < from || cursor > to) return null;
  return (
    <p
      aria-hidden
      className="pointer-events-none absolute -top-1 right-0 z-10 rounded-sm bg-surface/85 px-1 text-2xs text-ink-soft tabular-nums"
    >
      {positionLabel(model.axis, cursor)}
    </p>
  );
}
