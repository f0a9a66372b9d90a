"use client";

import clsx from "clsx";
import { ChartCursor } from "./chart-cursor";
import { ChartLegend } from "./chart-legend";
import { ChartPosition } from "./chart-position";
import type { useLiveChart } from "../live/use-live-chart";

interface ChartBodyProps {
  live: ReturnType<typeof useLiveChart>;
  smoothing: number;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
  /** The class that sets the height of the picture. */
  className: string;
}

/** The legend, the picture, and notes on what the picture leaves out. */
export function ChartBody({ live, smoothing, hidden, onToggle, className }: ChartBodyProps) {
  const { chart, canvas, shown } = live;
  const { model, revision } = shown;
  const isEmpty = model.points === 0;
  return (
    <figure className="flex min-h-0 min-w-0 grow flex-col">
      <ChartLegend
        chart={chart}
        model={model}
        smoothing={smoothing}
        hidden={hidden}
        onToggle={onToggle}
      />
      <div className={clsx("relative min-h-0", className)}>
        <div
          role="img"
          aria-label={model.summary}
          data-points={model.points}
          data-revision={revision}
          className="absolute inset-0"
        >
          <div
            ref={canvas}
            className={clsx("absolute inset-0 overflow-hidden", isEmpty && "invisible")}
          />
          {isEmpty && (
            <p className="absolute inset-0 grid place-items-center px-4 text-center text-xs text-ink-faint">
              {chart.spec.empty}
            </p>
          )}
        </div>
        <ChartPosition chart={chart} model={model} />
        {!isEmpty && <ChartCursor chart={chart} model={model} hidden={hidden} />}
      </div>
      {model.notes.length > 0 && (
        <figcaption className="truncate px-1 pt-0.5 text-right text-2xs text-ink-faint tabular-nums">
          {model.notes.join(" · ")}
        </figcaption>
      )}
    </figure>
  );
}
