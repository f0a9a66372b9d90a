"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import type { ChartAxis } from "./chart-axis";
import { ChartCursor } from "./chart-cursor";
import { ChartLegend } from "./chart-legend";
import { ChartMarkLines, ChartMarks } from "./chart-marks";
import { ChartMoment } from "./chart-moment";
import { isCrowded } from "../prepare/crowd";
import { SeriesList } from "./series-list";
import { ChartPosition } from "./chart-position";
import type { useLiveChart } from "../live/use-live-chart";
import type { ChartMark } from "../prepare/marks";

interface ChartBodyProps {
  live: ReturnType<typeof useLiveChart>;
  marks: readonly ChartMark[];
  /** Whether marks are thin lines, which say nothing when they are pointed at. */
  marksAreLines?: boolean;
  /** Rendered below the chart, lined up with its axis. */
  under?: (axis: ChartAxis) => ReactNode;
  smoothing: number;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
  /** The class that sets the height of the plot. */
  className: string;
}

/** The legend, the plot, and notes on what the plot leaves out. */
export function ChartBody({
  live,
  marks,
  marksAreLines = false,
  under,
  smoothing,
  hidden,
  onToggle,
  className,
}: ChartBodyProps) {
  const { chart, canvas, shown } = live;
  const { model, revision, width } = shown;
  const { isEmpty } = model;
  // Before anything was loaded, nobody knows that there is nothing.
  const isKnown = revision > 0 || chart.spec.series.length === 0;
  const Marks = marksAreLines ? ChartMarkLines : ChartMarks;
  return (
    <figure className="flex min-h-0 min-w-0 grow flex-col">
      {isCrowded(chart.spec) ? (
        <SeriesList {...{ chart, model, hidden, onToggle }} />
      ) : (
        <ChartLegend {...{ chart, model, smoothing, hidden, onToggle }} />
      )}
      <div className={clsx("relative mt-auto min-h-0", className)}>
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
          {isEmpty && isKnown && (
            <p className="absolute inset-0 grid place-items-center px-4 text-center text-xs text-ink-faint">
              {chart.spec.empty}
            </p>
          )}
        </div>
        <ChartPosition chart={chart} model={model} />
        {!isEmpty && <ChartCursor chart={chart} model={model} hidden={hidden} />}
        {!isEmpty && (
          <ChartMoment group={chart.group} inTabOrder={under !== undefined} {...{ model, width }} />
        )}
        {!isEmpty && marks.length > 0 && <Marks {...{ marks, model, width }} />}
      </div>
      {!isEmpty && under?.({ range: model.x, width })}
      {model.notes.length > 0 && (
        <figcaption className="truncate px-1 pt-0.5 text-right text-2xs text-ink-faint tabular-nums">
          {model.notes.join(" · ")}
        </figcaption>
      )}
    </figure>
  );
}
