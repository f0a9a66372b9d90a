"use client";

import type { KeyboardEvent, PointerEvent } from "react";
import { usePaintedCanvas } from "@/components/charts/plot/use-painted-canvas";
import { count, decimal } from "@/lib/format";
import type { Density } from "./density";
import { paintDensity } from "./paint-density";

interface DensityPictureProps {
  title: string;
  density: Density;
  band: readonly [number, number] | null;
  /** Names of integer values, from 0; with them there is no scale. */
  names?: readonly string[];
  chosen: number;
  onChoose: (column: number) => void;
}

/** A distribution over training. An update is selected by press, drag or arrow keys. */
export function DensityPicture({
  title,
  density,
  band,
  names,
  chosen,
  onChoose,
}: DensityPictureProps) {
  const canvas = usePaintedCanvas((ctx, size, colors) =>
    paintDensity(ctx, size, colors, { density, chosen, band }),
  );
  const last = density.columns.length - 1;

  const choose = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const column = Math.floor(((clientX - left) / width) * density.columns.length);
    onChoose(Math.min(Math.max(column, 0), last));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = keyTarget(event.key, chosen, last);
    if (to === null) return;
    event.preventDefault();
    onChoose(to);
  };
  return (
    <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)_3.5rem] gap-x-1.5 gap-y-0.5 text-2xs text-ink-faint tabular-nums">
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label={`${title} over training`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen}
        aria-valuetext={`step ${count(density.columns[chosen]?.step)}`}
        className="h-20 w-full cursor-crosshair touch-pan-y rounded-sm border border-line bg-sunken"
        onPointerDown={choose}
        onPointerMove={(event) => event.buttons > 0 && choose(event)}
        onKeyDown={onKeyDown}
      />
      <div aria-hidden className="flex min-w-0 flex-col justify-between">
        {names ? (
          names
            .map((name) => (
              <span key={name} className="truncate">
                {name}
              </span>
            ))
            .reverse()
        ) : (
          <>
            <span>{decimal(density.high)}</span>
            <span>{decimal(density.low)}</span>
          </>
        )}
      </div>
      <div aria-hidden className="flex justify-between">
        <span>{count(density.columns[0]?.step)}</span>
        {last > 0 && <span>{count(density.columns[last]?.step)}</span>}
      </div>
    </div>
  );
}

function keyTarget(key: string, chosen: number, last: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, chosen - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, chosen + 1);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
