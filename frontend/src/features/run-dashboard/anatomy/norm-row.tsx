"use client";

import type { UpdateAnatomy } from "@/api/types";
import type { CanvasSize, TokenColors } from "@/charts/canvas";
import { decimal } from "@/lib/number";
import { type Norms, normsOf } from "./norms";
import { UpdatePicture } from "./update-picture";

interface NormRowProps {
  title: string;
  /** How to read it. */
  help?: string;
  updates: readonly UpdateAnatomy[];
  of: (update: UpdateAnatomy) => number | null | undefined;
  chosen: number;
  onChoose: (update: number) => void;
}

/** The norm of gradients in the chosen update, and over training. */
export function NormRow({ title, help, updates, of, chosen, onChoose }: NormRowProps) {
  const norms = normsOf(updates, of);
  if (norms === null) return null;
  const now = updates[chosen] && of(updates[chosen]);
  return (
    <section aria-label={title} className="min-w-0">
      <div className="flex items-baseline justify-between gap-3 text-xs">
        <h4 className="font-medium">{title}</h4>
        <span className="text-ink-soft tabular-nums">
          {typeof now === "number" ? decimal(now) : "no gradient step"}
        </span>
      </div>
      {help && <p className="mb-1.5 text-2xs text-ink-faint">{help}</p>}
      <UpdatePicture
        title={title}
        steps={updates.map(({ step }) => step)}
        paint={(ctx, size, colors) => paintNorms(ctx, size, colors, norms, chosen)}
        scale={
          <>
            <span>{decimal(norms.high)}</span>
            <span>{decimal(norms.low)}</span>
          </>
        }
        chosen={chosen}
        onChoose={onChoose}
      />
    </section>
  );
}

const MARGIN = 5;

/** A line with a gap where there was no gradient, and a dot at the chosen update. */
function paintNorms(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { heights }: Norms,
  chosen: number,
) {
  const wide = width / heights.length;
  const x = (update: number) => (update + 0.5) * wide;
  const y = (share: number) => height - MARGIN - share * (height - 2 * MARGIN);
  ctx.strokeStyle = ctx.fillStyle = colors.of("chart-mean");
  ctx.lineWidth = 1.5;
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.beginPath();
  let isDrawing = false;
  heights.forEach((share, update) => {
    if (share !== null) {
      if (!isDrawing) ctx.moveTo(x(update), y(share));
      ctx.lineTo(x(update), y(share)); // a dot, where both neighbours are missing
    }
    isDrawing = share !== null;
  });
  ctx.stroke();
  const here = heights[chosen] ?? null;
  if (here === null) return;
  ctx.beginPath();
  ctx.arc(x(chosen), y(here), 3.5, 0, 2 * Math.PI);
  ctx.fill();
}
