"use client";

import { PLOT_INSET } from "../plot/options";
import { type ChartGroup, useMoment } from "../live/chart-group";
import type { ChartModel } from "../prepare/model";

interface ChartMomentProps {
  group: ChartGroup;
  model: ChartModel;
  /** Pixels of the whole chart. */
  width: number;
}

/** A line at the environment step that is shown elsewhere on the page, for instance in a video. */
export function ChartMoment({ group, model, width }: ChartMomentProps) {
  const moment = useMoment(group);
  const [from, to] = model.x;
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (moment === null || moment < from || moment > to || inner <= 0) return null;
  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  const left = PLOT_INSET.left + ((moment - from) / (to - from)) * inner;
  return (
    <div
      data-moment={moment}
      className="pointer-events-none absolute top-2 w-0.5 -translate-x-1/2 rounded-full bg-accent"
      style={{ left, bottom: foot }}
    >
      <span className="absolute -top-1 left-1/2 size-2 -translate-x-1/2 rounded-full bg-accent ring-2 ring-surface" />
    </div>
  );
}
