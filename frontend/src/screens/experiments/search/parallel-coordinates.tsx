"use client";

import {
  type KeyboardEvent,
  type KeyboardEventHandler,
  type PointerEvent,
  type PointerEventHandler,
  useRef,
} from "react";
import type { SearchResults } from "@/api/types";
import { useWidth } from "@/charts/figure";
import { linePath } from "@/charts/figure-scale";
import {
  type Axis,
  brushed,
  type Brushes,
  type CoordinateFrame,
  frameOf,
  type Line,
  moved,
} from "./coordinates";

interface ParallelCoordinatesProps {
  axes: readonly Axis[];
  lines: readonly Line[];
  passing: ReadonlySet<number>;
  best: SearchResults["best"];
  picked: number | null;
  brushes: Brushes;
  onBrush: (brushes: Brushes) => void;
  onPick: (number: number) => void;
}

/**
 * Each trial as a line across its hyperparameters to its objective. Dragging along an axis, or moving its two handles
 * by keyboard, selects the trials in that range. If the width is small, the axes are one above the other.
 */
export function ParallelCoordinates(props: ParallelCoordinatesProps) {
  const { axes, lines, passing, best, picked, brushes, onBrush, onPick } = props;
  const [ref, width] = useWidth(900);
  const frame = frameOf(width, axes.length);
  const dragged = useRef<{ axis: Axis; from: number } | null>(null);
  const svg = useRef<SVGSVGElement>(null);

  const placeOf = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    return box ? frame.placeAt(event.clientX - box.left, event.clientY - box.top) : 0;
  };
  const begin = (axis: Axis) => (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = { axis, from: placeOf(event) };
  };
  const drag = (event: PointerEvent) => {
    const { axis, from } = dragged.current ?? {};
    if (axis && from !== undefined) {
      onBrush(brushed(brushes, axis.name, from, placeOf(event)));
    }
  };
  const end = (event: PointerEvent) => {
    const { axis, from } = dragged.current ?? {};
    dragged.current = null;
    if (axis && from !== undefined && Math.abs(placeOf(event) - from) < 0.02) {
      onBrush(brushed(brushes, axis.name, 0, 1)); // a click takes the brush away
    }
  };
  const press = (axis: Axis, which: "from" | "to") => (event: KeyboardEvent) => {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onBrush(by === "none" ? brushed(brushes, axis.name, 0, 1) : moved(brushes, axis, which, by));
  };
  // What passes lies above what does not, the best and the picked one above all.
  const rank = ({ number }: Line) =>
    (passing.has(number) ? 1 : 0) + (number === best?.number ? 2 : 0) + (number === picked ? 4 : 0);
  const ordered = lines.toSorted((a, b) => rank(a) - rank(b));
  return (
    <div ref={ref} className="min-w-0">
      <svg
        ref={svg}
        role="group"
        aria-label={`Parallel coordinates: ${passing.size} of ${lines.length} trials pass`}
        width={width}
        height={frame.height}
        className="block overflow-visible text-2xs select-none"
      >
        <g className="fill-none">
          {ordered.map((line) => (
            <path
              key={line.number}
              d={pathOf(line, frame.point)}
              data-passes={passing.has(line.number)}
              className={`cursor-pointer ${strokeOf(line, passing, best?.number, picked)}`}
              strokeWidth={line.number === picked || line.number === best?.number ? 2 : 1.25}
              onClick={() => onPick(line.number)}
            >
              <title>{`Trial ${line.number}`}</title>
            </path>
          ))}
        </g>
        {axes.map((axis, i) => (
          <AxisBrush
            key={axis.name}
            axis={axis}
            place={i}
            frame={frame}
            brush={brushes[axis.name] ?? null}
            onPointerDown={begin(axis)}
            onPointerMove={drag}
            onPointerUp={end}
            onKey={(which) => press(axis, which)}
          />
        ))}
      </svg>
    </div>
  );
}

const MOVES: Record<string, number | "first" | "last" | "none"> = {
  ...{ ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 4, PageDown: -4 },
  ...{ Home: "first", End: "last", Escape: "none", Delete: "none", Backspace: "none" },
};

function strokeOf(
  { number }: Line,
  passing: ReadonlySet<number>,
  best: number | undefined,
  picked: number | null,
): string {
  if (number === picked) return "stroke-ink";
  if (!passing.has(number)) return "stroke-line-strong opacity-40";
  return number === best ? "stroke-good" : "stroke-accent opacity-55";
}

/** The line from axis to axis; interrupted where an axis does not apply. */
function pathOf(
  { places }: Line,
  point: (axis: number, place: number) => [number, number],
): string {
  const pieces: [number, number][][] = [[]];
  places.forEach((place, i) => {
    if (place === null) pieces.push([]);
    else pieces.at(-1)!.push(point(i, place));
  });
  return pieces.map((piece) => linePath(piece)).join("");
}

interface AxisBrushProps {
  axis: Axis;
  /** Which of the axes it is. */
  place: number;
  frame: CoordinateFrame;
  brush: readonly [number, number] | null;
  onPointerDown: PointerEventHandler;
  onPointerMove: PointerEventHandler;
  onPointerUp: PointerEventHandler;
  onKey: (which: "from" | "to") => KeyboardEventHandler;
}

/** Separates the labels from the lines behind them. */
const HALO = { strokeWidth: 4, paintOrder: "stroke", strokeLinejoin: "round" } as const;

const WIDE = 12;
const MOST_TICKS = 6;

/** One axis with its ticks and its selected range. */
function AxisBrush({ axis, place, frame, brush, onKey, ...pointer }: AxisBrushProps) {
  const { stacked, point } = frame;
  const [x0, y0] = point(place, 0);
  const [x1, y1] = point(place, 1);
  const every = Math.ceil(axis.ticks.length / MOST_TICKS);
  const [from, to] = brush ?? [0, 1];
  return (
    <g>
      <line x1={x0} y1={y0} x2={x1} y2={y1} className="stroke-control-line" />
      <text
        x={stacked ? x0 : x1}
        y={stacked ? y0 - 13 : y1 - 16}
        textAnchor={stacked ? "start" : "middle"}
        {...HALO}
        className="fill-ink stroke-surface font-mono"
      >
        {axis.name}
      </text>
      {axis.ticks
        .filter((_, i) => i % every === 0)
        .map(({ at, label }) => {
          const [x, y] = point(place, at);
          return (
            <g key={at} className="pointer-events-none">
              <line
                {...(stacked
                  ? { x1: x, x2: x, y1: y - 3, y2: y + 3 }
                  : { x1: x - 3, x2: x + 3, y1: y, y2: y })}
                className="stroke-control-line"
              />
              <text
                x={stacked ? x : x + 8}
                y={stacked ? y + 15 : y + 3.5}
                textAnchor={stacked ? anchorAt(at) : "start"}
                {...HALO}
                className="fill-ink-soft stroke-surface tabular-nums"
              >
                {label}
              </text>
            </g>
          );
        })}
      <rect
        {...boxOf(stacked, [x0, y0], [x1, y1], 2 * WIDE)}
        className={`cursor-crosshair fill-transparent ${stacked ? "touch-pan-y" : "touch-pan-x"}`}
        data-axis={axis.name}
        {...pointer}
      />
      {brush && (
        <rect
          {...boxOf(stacked, point(place, from), point(place, to), WIDE)}
          className="pointer-events-none fill-accent/25 stroke-accent"
          rx={2}
        />
      )}
      {(["from", "to"] as const).map((which) => {
        const at = which === "from" ? from : to;
        const [x, y] = point(place, at);
        const words = `${axis.name}, ${which} ${axis.says(at)}`;
        return (
          <rect
            key={which}
            role="slider"
            tabIndex={0}
            aria-label={`${axis.name}, ${which}`}
            aria-valuemin={0}
            aria-valuemax={1}
            aria-valuenow={Number(at.toFixed(3))}
            aria-valuetext={axis.says(at)}
            aria-orientation={stacked ? "horizontal" : "vertical"}
            {...boxOf(stacked, [x, y], [x, y], WIDE + 2)}
            className={`pointer-events-none outline-offset-2 focus-visible:fill-accent focus-visible:outline-2 focus-visible:outline-accent ${brush ? "fill-accent" : "fill-control-line"}`}
            onKeyDown={onKey(which)}
          >
            <title>{words}</title>
          </rect>
        );
      })}
    </g>
  );
}

/** A box along an axis from one point to another, `wide` across, and two pixels beyond either end. */
function boxOf(
  stacked: boolean,
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
  wide: number,
) {
  return stacked
    ? { x: Math.min(x0, x1) - 2, width: Math.abs(x1 - x0) + 4, y: y0 - wide / 2, height: wide }
    : { y: Math.min(y0, y1) - 2, height: Math.abs(y1 - y0) + 4, x: x0 - wide / 2, width: wide };
}

function anchorAt(place: number): "start" | "middle" | "end" {
  if (place < 0.05) return "start";
  return place > 0.95 ? "end" : "middle";
}
