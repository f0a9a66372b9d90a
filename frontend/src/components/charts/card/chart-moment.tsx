"use client";

import type { KeyboardEvent, PointerEvent } from "react";
import { count } from "@/lib/number";
import { type ChartGroup, useMoment, useStepScale } from "../live/chart-group";
import { PLOT_INSET } from "../plot/options";
import type { ChartModel } from "../prepare/model";

interface ChartMomentProps {
  group: ChartGroup;
  model: ChartModel;
  /** Pixels of the whole chart. */
  width: number;
  /** Whether Tab reaches it. One chart of a page is enough, as all mark the same moment. */
  inTabOrder: boolean;
}

/** Shares of what is shown that keys move the moment by. */
const NEAR = 0.01;
const FAR = 0.1;

/**
 * The environment step that is shown elsewhere on the page, for instance in a video: a line that can be dragged, and moved
 * with the keyboard.
 */
export function ChartMoment({ group, model, width, inTabOrder }: ChartMomentProps) {
  const moment = useMoment(group);
  const steps = useStepScale(group);
  const [from, to] = model.x;
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (moment === null || steps === null || inner <= 0) return null;
  const place = steps.placeOf(moment);
  if (place < from || place > to) return null;

  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  const pick = (x: number) => group.pick(Math.min(to, Math.max(from, x)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const { left } = event.currentTarget.parentElement!.getBoundingClientRect();
    pick(from + ((event.clientX - left - PLOT_INSET.left) / inner) * (to - from));
  };
  const by = (share: number) => pick(place + share * (to - from));
  const keys: Record<string, () => void> = {
    ArrowLeft: () => by(-NEAR),
    ArrowRight: () => by(NEAR),
    ArrowDown: () => by(-NEAR),
    ArrowUp: () => by(NEAR),
    PageDown: () => by(-FAR),
    PageUp: () => by(FAR),
    Home: () => pick(from),
    End: () => pick(to),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div
      role="slider"
      tabIndex={inTabOrder ? 0 : -1}
      aria-label="Moment of training"
      aria-valuemin={Math.round(steps.stepAt(from))}
      aria-valuemax={Math.round(steps.stepAt(to))}
      aria-valuenow={moment}
      aria-valuetext={`step ${count(moment)}`}
      data-moment={moment}
      onKeyDown={onKeyDown}
      onPointerDown={drag}
      onPointerMove={drag}
      // The first press on the chart brings it under the pointer, so that the second comes here.
      onDoubleClick={group.reset}
      className="group absolute top-1 w-3 -translate-x-1/2 cursor-ew-resize touch-none rounded-sm pointer-coarse:w-6"
      style={{ left: PLOT_INSET.left + ((place - from) / (to - from)) * inner, bottom: foot }}
    >
      <span className="absolute inset-y-0 left-1/2 w-0.5 -translate-x-1/2 rounded-full bg-accent group-hover:w-[3px]" />
      <span className="absolute top-0 left-1/2 size-2 -translate-x-1/2 rounded-full bg-accent ring-2 ring-surface group-hover:size-2.5" />
    </div>
  );
}
