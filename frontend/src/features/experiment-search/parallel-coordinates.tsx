"use client";

import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import type { SearchResults } from "@/api/types";
import { useWidth } from "@/charts/figure";
import { linePath } from "@/charts/figure-scale";
import { AxisBrush } from "./axis-brush";
import { frameOf } from "./coordinate-frame";
import { type Axis, brushed, type Brushes, type Line, moved } from "./coordinates";

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
 * Each trial as a line across its hyperparameters to its objective. Dragging along an axis, or its two handles by
 * keyboard, keeps the trials that lie between. Where there is little width, the axes lie one above the other.
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
