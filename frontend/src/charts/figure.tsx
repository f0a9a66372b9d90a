"use client";

import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { compact } from "@/lib/number";
import { seriesStyle } from "@/ui/series-style";
import { linearTicks, linePath, type Scale, scale } from "./figure-scale";

export interface Frame {
  x: Scale;
  y: Scale;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface AxisProps {
  domain: readonly [number, number];
  ticks: readonly number[];
  label: string;
  format?: (value: number) => string;
}

interface PlotProps {
  /** A description of what the picture shows now, for screen readers. */
  label: string;
  height: number;
  x: AxisProps;
  y: AxisProps;
  children: (frame: Frame) => ReactNode;
}

const MARGIN = { left: 44, right: 14, top: 22, bottom: 36 };

/** Axes to draw in. Text and lines keep their size at every width. */
export function Plot({ label, height, x, y, children }: PlotProps) {
  const [ref, width] = useWidth(640);
  const left = MARGIN.left;
  const right = Math.max(width - MARGIN.right, left + 1);
  const bottom = height - MARGIN.bottom;
  const frame: Frame = {
    x: scale(x.domain, [left, right]),
    y: scale(y.domain, [bottom, MARGIN.top]),
    left,
    right,
    top: MARGIN.top,
    bottom,
  };
  const { format: formatX = compact } = x;
  const { format: formatY = compact } = y;
  return (
    <div ref={ref} className="min-w-0">
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={height}
        className="block max-w-full touch-pan-y overflow-visible text-2xs select-none"
      >
        <g className="stroke-chart-grid">
          {x.ticks.map((t) => (
            <line key={t} x1={frame.x(t)} x2={frame.x(t)} y1={frame.top} y2={bottom} />
          ))}
          {y.ticks.map((t) => (
            <line key={t} x1={left} x2={right} y1={frame.y(t)} y2={frame.y(t)} />
          ))}
        </g>
        <g className="fill-ink-faint tabular-nums">
          {x.ticks.map((t) => (
            <text key={t} x={frame.x(t)} y={bottom + 15} textAnchor="middle">
              {formatX(t)}
            </text>
          ))}
          {y.ticks.map((t) => (
            <text key={t} x={left - 8} y={frame.y(t) + 4} textAnchor="end">
              {formatY(t)}
            </text>
          ))}
          <text x={right} y={bottom + 30} textAnchor="end">
            {x.label}
          </text>
          <text x={4} y={11}>
            {y.label}
          </text>
        </g>
        {children(frame)}
      </svg>
    </div>
  );
}

export type Point = readonly [number, number];

export interface PlotLine {
  id: string;
  label: string;
  /** Which of the series colours and dashes it has. */
  style: number;
  points: readonly Point[];
  /** Range in which it can be: the low and the high end for each position. */
  band: readonly (readonly [number, number, number])[];
  /** Short strokes across it; each entry has a text that describes its strokes. */
  strokes?: readonly { at: readonly Point[]; says: string }[];
}

interface LinePlotProps {
  /** A description of what the picture shows now, for screen readers. */
  label: string;
  x: { domain: readonly [number, number]; label: string };
  y: { domain: readonly [number, number]; label: string; format: (value: number) => string };
  lines: readonly PlotLine[];
}

const HEIGHT = 260;

/** Lines with their bands over one axis, and a legend. */
export function LinePlot({ label, x, y, lines }: LinePlotProps) {
  const along = linearTicks(x.domain, 5);
  return (
    <figure className="min-w-0">
      <Plot
        label={label}
        height={HEIGHT}
        x={{
          ...{ ...x, ticks: along.map(({ at }) => at) },
          format: (value) => along.find(({ at }) => at === value)?.label ?? "",
        }}
        y={{ ...y, ticks: linearTicks(y.domain, 4).map(({ at }) => at) }}
      >
        {(frame) => lines.map((line) => <Drawn key={line.id} line={line} frame={frame} />)}
      </Plot>
      <figcaption>
        <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
          {lines.map(({ id, label, style }) => (
            <li key={id} className="flex min-w-0 items-center gap-1.5">
              <svg aria-hidden width={22} height={8} className="shrink-0">
                <path d="M0 4H22" {...strokeOf(style)} />
              </svg>
              <span className="break-words">{label}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

function Drawn({ line, frame }: { line: PlotLine; frame: Frame }) {
  const at = ([x, y]: Point): [number, number] => [frame.x(x), frame.y(y)];
  const around = [
    ...line.band.map(([x, low]) => at([x, low])),
    ...line.band.toReversed().map(([x, , high]) => at([x, high])),
  ];
  const stroke = strokeOf(line.style);
  const mark = { stroke: stroke.stroke, strokeWidth: 2 };
  return (
    <g data-line={line.id}>
      {around.length > 2 && (
        <path d={`${linePath(around)}Z`} fill={stroke.stroke} opacity={0.13} stroke="none" />
      )}
      <path d={linePath(line.points.map(at))} {...stroke} />
      {line.strokes?.map(({ at: places, says }, i) => (
        <path key={i} d={places.map((place) => across(at(place))).join("")} {...mark}>
          <title>{says}</title>
        </path>
      ))}
    </g>
  );
}

function across([x, y]: Point): string {
  return `M${x} ${y - 6}V${y + 6}`;
}

function strokeOf(style: number) {
  const { color, dash } = seriesStyle(style);
  return {
    ...{ stroke: `var(--${color})`, strokeWidth: 2, fill: "none" },
    strokeDasharray: dash.join(" "),
  };
}

/**
 * The element's width in CSS pixels, updated when it changes. A picture of that width needs no scaling, so
 * text keeps its size.
 */
export function useWidth(first: number): [RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = ref.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
