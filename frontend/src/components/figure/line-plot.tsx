"use client";

import { seriesStyle } from "@/ui/series-style";
import { type Frame, Plot } from "./plot";
import { linePath } from "./scale";
import { linearTicks } from "./ticks";

export type Point = readonly [number, number];

export interface PlotLine {
  id: string;
  label: string;
  /** Which of the series colours and dashes it has. */
  style: number;
  points: readonly Point[];
  /** Where it may lie: for each position the low and the high end. */
  band: readonly (readonly [number, number, number])[];
  /** Short strokes across it, those of each entry with what it says of them. */
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
