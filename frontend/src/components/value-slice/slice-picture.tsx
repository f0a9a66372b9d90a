"use client";

import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from "react";
import type { StepRecord } from "@/api/types";
import { usePaintedCanvas } from "@/charts/canvas";
import { decimal } from "@/lib/number";
import { paintSlice } from "./paint-slice";
import {
  type DrawnSlice,
  endsOf,
  movedBy,
  pathOf,
  type Point,
  pointOf,
  quantity,
  readAt,
  sharesOf,
  summaryOf,
} from "./prepare";

/** Number of steps whose path is drawn in full. */
const RECENT = 20;

interface SlicePictureProps {
  slice: DrawnSlice;
  record: StepRecord;
  records: readonly StepRecord[];
}

/**
 * The heatmap with its axes and its scale. What is expected at a point is said below: under the pointer, where the arrow
 * keys have moved it, or else at the step.
 */
export function SlicePicture({ slice, record, records }: SlicePictureProps) {
  const [pointed, setPointed] = useState<Point | null>(null);
  const shares = useMemo(() => sharesOf(slice), [slice]);
  // The records of an episode that is played grow in place.
  const path = pathOf(slice, records);
  const recent = pathOf(
    slice,
    records.filter(({ index }) => index <= record.index && index > record.index - RECENT),
  );
  const now = pointOf(slice, record);
  const reading = useId();

  const canvas = usePaintedCanvas((ctx, size, colors) =>
    paintSlice(ctx, size, colors, { shares, path, recent, now, pointed }),
  );

  const point = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    setPointed({ left: (clientX - left) / width, top: (clientY - top) / height });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next =
      event.key === "Escape"
        ? null
        : movedBy(event.key, event.shiftKey, pointed ?? now ?? { left: 0.5, top: 0.5 });
    if (next === null && (event.key !== "Escape" || pointed === null)) return;
    event.preventDefault();
    event.stopPropagation();
    setPointed(next);
  };
  const read = pointed ?? now;
  const [low, high] = endsOf(slice);
  return (
    <div className="flex min-w-0 flex-col gap-1.5 text-2xs text-ink-faint tabular-nums">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-1.5 gap-y-0.5">
        <div aria-hidden className="flex flex-col items-end justify-between">
          <span>{decimal(slice.y.high)}</span>
          <span>{decimal(slice.y.low)}</span>
        </div>
        <canvas
          ref={canvas}
          role="application"
          tabIndex={0}
          aria-label={summaryOf(slice)}
          aria-roledescription="Picture that the arrow keys move a point on; Escape goes back to the step"
          aria-describedby={reading}
          className="aspect-4/3 max-h-80 w-full cursor-crosshair rounded-sm border border-line bg-sunken"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(null)}
          onKeyDown={onKeyDown}
          onBlur={() => setPointed(null)}
        />
        <div aria-hidden className="col-start-2 flex justify-between">
          <span>{decimal(slice.x.low)}</span>
          <span>{decimal(slice.x.high)}</span>
        </div>
      </div>
      <div className="flex items-center gap-1.5">
        <span>
          {quantity(slice)} {low}
        </span>
        <span
          aria-hidden
          className="h-2 grow rounded-sm border border-line bg-sunken bg-linear-to-r from-chart-mean/4 to-chart-mean/90"
        />
        <span>{high}</span>
      </div>
      <p
        id={reading}
        aria-live={pointed ? "polite" : "off"}
        className="min-h-4 text-xs text-ink-soft"
      >
        {read ? readAt(slice, read) : "This step lies outside the picture."}
      </p>
    </div>
  );
}
