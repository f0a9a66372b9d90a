"use client";

import type { PointerEvent, ReactNode } from "react";
import { Slider } from "@/ui/slider";

interface ControlProps {
  label: string;
  /** Its symbol in the formula. */
  symbol?: ReactNode;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
  /** The value with its unit, shown and read by screen readers. */
  text: string;
}

/** A slider with its name and its value. */
export function Control({ label, symbol, text, ...slider }: ControlProps) {
  return (
    <div className="min-w-0">
      <div className="flex items-baseline justify-between gap-2 text-xs">
        <span aria-hidden className="truncate font-medium text-ink-soft">
          {label}
          {symbol && <span className="ml-1.5 font-mono text-ink-faint">{symbol}</span>}
        </span>
        <span aria-hidden className="font-mono tabular-nums">
          {text}
        </span>
      </div>
      <Slider label={label} valueText={text} {...slider} />
    </div>
  );
}

/** Lays sliders out side by side where there is room. */
export function Controls({ children }: { children: ReactNode }) {
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-[repeat(auto-fit,minmax(11rem,1fr))]">
      {children}
    </div>
  );
}

/** A caption that describes the picture in words and changes with it. */
export function PictureCaption({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div className="min-h-20 border-l-2 border-accent pl-3.5 text-sm" aria-live="polite">
      <p className="font-semibold">{title}</p>
      <p className="mt-0.5 max-w-[72ch] text-ink-soft">{children}</p>
    </div>
  );
}

interface HandleProps {
  x: number;
  y: number;
  /** Called with the pointer's position in the picture's pixels. */
  onDrag: (x: number, y: number) => void;
  along: "x" | "y";
}

/** A point in the picture that can be dragged. It is for pointers only; a slider does the same by keyboard. */
export function Handle({ x, y, onDrag, along }: HandleProps) {
  const move = (event: PointerEvent<SVGGElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
    if (box) onDrag(event.clientX - box.left, event.clientY - box.top);
  };
  return (
    <g
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      className={along === "x" ? "cursor-ew-resize touch-none" : "cursor-ns-resize touch-none"}
    >
      <circle cx={x} cy={y} r={22} fill="transparent" />
      <circle cx={x} cy={y} r={8} className="fill-raised stroke-accent" strokeWidth={3} />
    </g>
  );
}

interface PictureLayoutProps {
  /** The picture. */
  picture: ReactNode;
  /** Controls and caption; beside the picture, or below it on narrow screens. */
  children: ReactNode;
}

export function PictureLayout({ picture, children }: PictureLayoutProps) {
  return (
    <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_18.5rem]">
      <div className="min-w-0">{picture}</div>
      <div className="flex min-w-0 flex-col gap-4 lg:pt-4">{children}</div>
    </div>
  );
}

/** Explains the grey part of a picture, which is drawn from a run. */
export function RunNote({ children }: { children: ReactNode }) {
  return <p className="text-xs text-ink-soft">{children}</p>;
}
