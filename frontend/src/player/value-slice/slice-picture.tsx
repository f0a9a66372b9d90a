"use client";

import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from "react";
import type { StepRecord } from "@/api/types";
import { type CanvasSize, type TokenColors, usePaintedCanvas } from "@/charts/canvas";
import { decimal } from "@/lib/number";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
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

interface PaintedSlice {
  shares: readonly (readonly (number | null)[])[];
  /** The path of the whole episode: faint, so that values stay visible. */
  path: readonly (readonly Point[])[];
  /** The path of the steps before the current one. */
  recent: readonly (readonly Point[])[];
  now: Point | null;
  /** The point that is read instead of the current one. */
  pointed: Point | null;
}

/** Darker colours mean a higher expected return. The path of the episode and the current state are drawn over it. */
export function paintSlice(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { shares, path, recent, now, pointed }: PaintedSlice,
): void {
  // Cells end between pixels of the screen, of which a pixel of the page is 1.5 on some: else seams would show.
  const ratio = ctx.getTransform().a;
  const edge = (place: number) => Math.round(place * ratio) / ratio;
  ctx.fillStyle = colors.of("chart-mean");
  shares.forEach((row, i) => {
    const top = edge((i * height) / shares.length);
    const bottom = edge(((i + 1) * height) / shares.length);
    row.forEach((share, j) => {
      if (share === null) return;
      const left = edge((j * width) / row.length);
      const right = edge(((j + 1) * width) / row.length);
      ctx.globalAlpha = 0.04 + 0.86 * share;
      ctx.fillRect(left, top, right - left, bottom - top);
    });
  });
  ctx.lineJoin = "round";
  for (const [pieces, alpha] of [
    [path, 0.3],
    [recent, 1],
  ] as const) {
    ctx.globalAlpha = alpha;
    for (const [token, lineWidth] of [
      ["raised", 4],
      ["ink", 1.5],
    ] as const) {
      ctx.strokeStyle = colors.of(token);
      ctx.lineWidth = lineWidth;
      ctx.beginPath();
      for (const piece of pieces) {
        piece.forEach(({ left, top }, i) =>
          i === 0 ? ctx.moveTo(left * width, top * height) : ctx.lineTo(left * width, top * height),
        );
      }
      ctx.stroke();
    }
  }
  ctx.globalAlpha = 1;
  if (pointed) {
    const [left, top] = [pointed.left * width, pointed.top * height];
    ctx.strokeStyle = colors.of("ink");
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(left, 0);
    ctx.lineTo(left, height);
    ctx.moveTo(0, top);
    ctx.lineTo(width, top);
    ctx.stroke();
  }
  if (!now) return;
  ctx.beginPath();
  ctx.arc(now.left * width, now.top * height, 5, 0, 2 * Math.PI);
  ctx.fillStyle = colors.of("raised");
  ctx.fill();
  ctx.strokeStyle = colors.of("ink");
  ctx.lineWidth = 2.5;
  ctx.stroke();
}

interface PairPickerProps {
  names: readonly string[];
  /** Places of the components: across, and up. */
  pair: readonly [number, number];
  onChange: (pair: [number, number]) => void;
}

/** The two components of a slice. Choosing what the other axis shows exchanges the two. */
export function PairPicker({ names, pair: [x, y], onChange }: PairPickerProps) {
  const choose = (next: [number, number]) => onChange(next[0] === next[1] ? [y, x] : next);
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
      <ComponentPicker label="Across" names={names} value={x} onChange={(to) => choose([to, y])} />
      <ComponentPicker label="Up" names={names} value={y} onChange={(to) => choose([x, to])} />
    </div>
  );
}

interface ComponentPickerProps {
  label: string;
  names: readonly string[];
  value: number;
  onChange: (place: number) => void;
}

function ComponentPicker({ label, names, value, onChange }: ComponentPickerProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        >
          {names.map((name, place) => (
            <option key={place} value={place}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
