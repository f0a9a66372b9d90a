"use client";

import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { usePaintedCanvas } from "@/charts/canvas";
import { count, decimal, NONE } from "@/lib/number";
import { lineScale, stepAt } from "../prepare/line-scale";
import { Figure } from "./figure";
import { type DrawnLine, GUTTER, paintLine } from "./paint-line";

interface EpisodeLineProps {
  title: string;
  note?: string | null;
  lines: readonly DrawnLine[];
  /** Index of the first value. */
  first: number;
  /** Whether more steps will come. */
  grows: boolean;
  fromZero?: boolean;
  /** Index of the step that is shown. */
  at: number;
  /** Called to show another step. */
  onPick: (index: number) => void;
  height: number;
}

/** Curves over an episode. A step is selected by press or arrow keys. */
export function EpisodeLine({
  title,
  note,
  lines,
  first,
  grows,
  fromZero = false,
  at,
  onPick,
  height,
}: EpisodeLineProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const length = Math.max(0, ...lines.map(({ values }) => values.length));
  const last = first + Math.max(0, length - 1);
  const scale = lineScale(
    lines.map(({ values }) => values),
    { first, grows, fromZero },
  );

  const canvas = usePaintedCanvas((ctx, size, colors) =>
    paintLine(ctx, size, colors, { lines, scale, first, at, hovered }),
  );

  const stepUnder = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return stepAt((clientX - left - GUTTER) / (width - GUTTER), scale, length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = keyTarget(event.key, at, first, last);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    onPick(to);
  };
  const read = hovered ?? at;
  const words = lines.map(({ name, values }) => ({ name, text: textOf(values[read - first]) }));
  return (
    <Figure
      title={title}
      note={note}
      aside={
        <>
          step {count(read)}
          {words.map(({ name, text }, i) => (
            <span key={name} className="ml-2.5 whitespace-nowrap">
              <Swatch line={lines[i]!} /> {name} <span className="text-ink">{text}</span>
            </span>
          ))}
        </>
      }
    >
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label={`${title} over the episode`}
        aria-valuemin={first}
        aria-valuemax={last}
        aria-valuenow={Math.min(last, Math.max(first, at))}
        aria-valuetext={`step ${at}: ${words.map(({ name, text }) => `${name} ${text}`).join(", ")}`}
        style={{ height }}
        className="w-full cursor-crosshair touch-pan-y rounded-sm border border-line bg-sunken"
        onPointerMove={(event) => setHovered(stepUnder(event))}
        onPointerLeave={() => setHovered(null)}
        onClick={(event) => onPick(stepUnder(event as unknown as PointerEvent))}
        onKeyDown={onKeyDown}
      />
    </Figure>
  );
}

function Swatch({ line: { color, dash } }: { line: DrawnLine }) {
  return (
    <svg aria-hidden width="12" height="6" className="inline-block align-middle">
      <line
        x1="0"
        x2="12"
        y1="3"
        y2="3"
        strokeWidth="2"
        strokeDasharray={dash?.join(" ")}
        style={{ stroke: `var(--${color})` }}
      />
    </svg>
  );
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : decimal(value);
}

function keyTarget(key: string, at: number, first: number, last: number): number | null {
  const within = (index: number) => Math.min(last, Math.max(first, index));
  switch (key) {
    case "ArrowLeft":
      return within(at - 1);
    case "ArrowRight":
      return within(at + 1);
    case "PageUp":
      return within(at - 10);
    case "PageDown":
      return within(at + 10);
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return null;
  }
}
