"use client";

import type { PointerEvent } from "react";

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
