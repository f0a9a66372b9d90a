"use client";

import clsx from "clsx";
import { ChartCursor } from "./chart-cursor";
import { ChartLegend } from "./chart-legend";
import type { useLiveChart } from "./use-live-chart";

interface ChartBodyProps {
  live: ReturnType<typeof useLiveChart>;
  smoothing: number;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
  /** How high the picture is. */
  className: string;
}

/** Legend, picture and what the picture leaves out. */
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
        <figcaption className="pointer-events-none absolute right-1 bottom-0.5 max-w-[70%] truncate bg-surface pl-2 text-2xs text-ink-faint tabular-nums">
          {model.notes.join(" · ")}
        </figcaption>
        {!isEmpty && <ChartCursor chart={chart} model={model} hidden={hidden} />}
      </div>
    </figure>
  );
}
