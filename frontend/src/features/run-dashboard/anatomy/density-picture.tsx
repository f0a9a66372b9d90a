"use client";

import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from "react";
import { readTokenColors, watchTheme } from "@/components/charts/plot/token-colors";
import { count, decimal } from "@/lib/format";
import type { Density } from "./density";
import { paintDensity } from "./paint-density";

interface DensityPictureProps {
  title: string;
  density: Density;
  band: readonly [number, number] | null;
  /** Names of whole numbers, from 0, which need no scale. */
  names?: readonly string[];
  chosen: number;
  onChoose: (column: number) => void;
}

/** A distribution over training, and a way to each of its updates: by press, by drag, or by arrow keys. */
export function DensityPicture({
  title,
  density,
  band,
  names,
  chosen,
  onChoose,
}: DensityPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const last = density.columns.length - 1;

  // External system: the canvas, painted anew whenever anything that is on it has changed.
  useEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext("2d");
    if (!element || !ctx) return;
    const paint = () => {
      const { clientWidth: width, clientHeight: height } = element;
      element.width = Math.round(width * devicePixelRatio);
      element.height = Math.round(height * devicePixelRatio);
      ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      const painted = { density, chosen, band };
      paintDensity(ctx, { width, height }, readTokenColors(element), painted);
    };
    paint();
    const unwatch = watchTheme(paint);
    const resize = new ResizeObserver(paint);
    resize.observe(element);
    return () => {
      unwatch();
      resize.disconnect();
    };
  }, [density, band, chosen]);

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
