import type { KeyboardEventHandler, PointerEventHandler } from "react";
import type { Axis } from "./coordinates";
import type { CoordinateFrame } from "./coordinate-frame";

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

/** Keeps what is written apart from the lines behind it. */
const HALO = { strokeWidth: 4, paintOrder: "stroke", strokeLinejoin: "round" } as const;

const WIDE = 12;
const MOST_TICKS = 6;

/** One axis with its ticks, and the part of it that is kept. */
export function AxisBrush({ axis, place, frame, brush, onKey, ...pointer }: AxisBrushProps) {
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
