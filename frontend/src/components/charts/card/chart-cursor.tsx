"use client";

import { type KeyboardEvent, useDeferredValue } from "react";
import { useCursor } from "../live/chart-group";
import type { LiveChart } from "../live/live-chart";
import type { ChartModel } from "../prepare/model";
import { sentenceAt } from "../prepare/readout";
import { stepped, zoomed } from "../prepare/zoom";

interface ChartCursorProps {
  chart: LiveChart;
  model: ChartModel;
  hidden: ReadonlySet<string>;
}

const FAR = 10;
const ZOOM = 1.6;
const KEYS = "Arrow keys read values, plus and minus zoom, Escape shows everything";

/**
 * The keyboard's access to the chart: a slider along its axis, whose value is a sentence of the values there.
 * Screen readers speak a slider's value, politely and the last one only, whenever it moves; a live region
 * beside it would say everything twice. The pointer goes through to the plot.
 */
export function ChartCursor({ chart, model, hidden }: ChartCursorProps) {
  const { group, spec } = chart;
  const cursor = useDeferredValue(useCursor(group));
  const [from, to] = model.x;

  const zoom = (factor: number) => {
    // The group has the current window. The model still has the one before when keys are pressed quickly.
    const [low, high] = group.window.get() ?? [from, to];
    group.zoom(zoomed([low, high], group.cursor.get() ?? (low + high) / 2, factor, chart.bounds));
  };
  const step = (by: number) => moveTo(stepped(model.data[0], group.cursor.get(), by));
  const moveTo = (x: number | null) => {
    group.cursor.set(x);
    if (x === null || (x >= from && x <= to)) return;
    const half = (to - from) / 2;
    chart.zoom([x - half, x + half]);
  };
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    ArrowLeft: (event) => step(event.shiftKey ? -FAR : -1),
    ArrowRight: (event) => step(event.shiftKey ? FAR : 1),
    PageDown: () => step(-FAR * FAR),
    PageUp: () => step(FAR * FAR),
    Home: () => moveTo(model.data[0][0] ?? null),
    End: () => moveTo(model.data[0].at(-1) ?? null),
    Enter: () => group.pick(group.cursor.get() ?? to),
    "+": () => zoom(1 / ZOOM),
    "=": () => zoom(1 / ZOOM),
    "-": () => zoom(ZOOM),
    Escape: (event) => {
      // Nothing to reset, so Escape is left to a dialog around the chart.
      if (group.window.get() === null && group.cursor.get() === null) return;
      event.stopPropagation();
      group.cursor.set(null);
      group.reset();
    },
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`${spec.title}: ${KEYS}`}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={Math.min(to, Math.max(from, cursor ?? to))}
      aria-valuetext={cursor === null ? model.summary : sentenceAt(spec, model, cursor, hidden)}
      onKeyDown={(event) => {
        const act = actions[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act(event);
      }}
      className="pointer-events-none absolute inset-0 rounded-md"
    />
  );
}
