"use client";

import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { readTokenColors, watchTheme } from "@/components/charts/plot/token-colors";
import type { StepRecord, ValueSlice } from "@/lib/api";
import { decimal } from "@/lib/format";
import { paintSlice } from "./paint-slice";
import { pathOf, type Point, pointOf, quantity, readAt, sharesOf, summaryOf } from "./prepare";

interface SlicePictureProps {
  slice: ValueSlice;
  record: StepRecord;
  records: readonly StepRecord[];
}

/** The heatmap with its axes and its scale; what is expected under the pointer, or else at the step, is said below. */
export function SlicePicture({ slice, record, records }: SlicePictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<Point | null>(null);
  const shares = useMemo(() => sharesOf(slice), [slice]);
  const path = useMemo(() => pathOf(slice, records), [slice, records]);
  const now = useMemo(() => pointOf(slice, record), [slice, record]);

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
      paintSlice(ctx, { width, height }, readTokenColors(element), { shares, path, now });
    };
    paint();
    const unwatch = watchTheme(paint);
    const resize = new ResizeObserver(paint);
    resize.observe(element);
    return () => {
      unwatch();
      resize.disconnect();
    };
  }, [shares, path, now]);

  const point = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    setPointed({ left: (clientX - left) / width, top: (clientY - top) / height });
  };
  const read = pointed ?? now;
  return (
    <div className="flex min-w-0 flex-col gap-1.5 text-2xs text-ink-faint tabular-nums">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-1.5 gap-y-0.5">
        <div aria-hidden className="flex flex-col items-end justify-between">
          <span>{decimal(slice.y.high)}</span>
          <span>{decimal(slice.y.low)}</span>
        </div>
        <canvas
          ref={canvas}
          role="img"
          aria-label={summaryOf(slice)}
          className="aspect-4/3 max-h-80 w-full cursor-crosshair rounded-sm border border-line bg-sunken"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(null)}
        />
        <div aria-hidden className="col-start-2 flex justify-between">
          <span>{decimal(slice.x.low)}</span>
          <span>{decimal(slice.x.high)}</span>
        </div>
      </div>
      <div className="flex items-center gap-1.5">
        <span>
          {quantity(slice)} {decimal(slice.low)}
        </span>
        <span
          aria-hidden
          className="h-2 grow rounded-sm border border-line bg-sunken bg-linear-to-r from-chart-mean/4 to-chart-mean/90"
        />
        <span>{decimal(slice.high)}</span>
      </div>
      <p className="min-h-4 text-xs text-ink-soft">
        {read ? readAt(slice, read) : "This step lies outside the picture."}
      </p>
    </div>
  );
}
