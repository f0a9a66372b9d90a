"use client";

import type { ReactNode } from "react";
import { compact } from "@/lib/number";
import { type Scale, scale } from "./scale";
import { useWidth } from "./use-width";

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
        className="block touch-pan-y overflow-visible text-2xs select-none"
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
