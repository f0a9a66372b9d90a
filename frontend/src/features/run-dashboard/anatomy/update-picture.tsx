"use client";

import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { type CanvasSize, type TokenColors, usePaintedCanvas } from "@/charts/canvas";
import { count } from "@/lib/number";

interface UpdatePictureProps {
  title: string;
  /** Training steps of the updates, from left to right. */
  steps: readonly number[];
  paint: (ctx: CanvasRenderingContext2D, size: CanvasSize, colors: TokenColors) => void;
  /** Beside the picture: its scale from the top down, or names. */
  scale: ReactNode;
  chosen: number;
  onChoose: (update: number) => void;
}

/** A picture of something over training. An update is chosen by press, drag or arrow keys. */
export function UpdatePicture({
  title,
  steps,
  paint,
  scale,
  chosen,
  onChoose,
}: UpdatePictureProps) {
  const canvas = usePaintedCanvas(paint);
  const last = steps.length - 1;

  const choose = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const update = Math.floor(((clientX - left) / width) * steps.length);
    onChoose(Math.min(Math.max(update, 0), last));
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
        aria-valuetext={`step ${count(steps[chosen])}`}
        className="h-20 w-full cursor-crosshair touch-pan-y rounded-sm border border-line bg-sunken"
        onPointerDown={choose}
        onPointerMove={(event) => event.buttons > 0 && choose(event)}
        onKeyDown={onKeyDown}
      />
      <div aria-hidden className="flex min-w-0 flex-col justify-between">
        {scale}
      </div>
      <div aria-hidden className="flex justify-between">
        <span>{count(steps[0])}</span>
        {last > 0 && <span>{count(steps[last])}</span>}
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
