"use client";

import { type ReactNode, useState } from "react";
import type { SeenPictures } from "@/api/types";
import { type CanvasSize, type TokenColors, usePaintedCanvas } from "@/charts/canvas";
import { routes } from "@/lib/routes";
import { HoverLink } from "@/ui/hover-link";
import { Segmented } from "@/ui/segmented";
import { Figure } from "./reading-figures";

interface SeenFigureProps {
  sheet: SeenSheet | null;
  /** The number that the saliency maps below the pictures belong to; null: there are no maps. */
  score: SeenPictures["score"];
  /** What can be chosen besides. */
  controls: ReactNode;
  /** Shown instead of the pictures while there are none. */
  children?: ReactNode;
}

const SCORES: Record<NonNullable<SeenPictures["score"]>, string> = {
  logit: "the logit of the chosen action",
  q_value: "Q(s, a) of the chosen action",
  value: "V(s)",
};

/** The agent's own input, and which of its pixels mattered. */
export function SeenFigure({ sheet, score, controls, children }: SeenFigureProps) {
  const [all, setAll] = useState(false);
  const pictures = sheet?.pictures ?? 1;
  return (
    <Figure title="What the agent saw">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {pictures > 1 && (
          <Segmented
            legend="Pictures"
            options={[
              { value: "newest", label: "Newest" },
              { value: "all", label: `All ${pictures}` },
            ]}
            value={all ? "all" : "newest"}
            onChange={(value) => setAll(value === "all")}
          />
        )}
        {controls}
      </div>
      {sheet ? <SeenCanvas sheet={sheet} all={all} score={score} /> : children}
      {score && (
        <p className="text-2xs text-ink-faint">
          In bright areas, a small change of the pixel would change {SCORES[score]} most. The map
          does not show why the action was chosen, and dark areas may also matter.{" "}
          <HoverLink href={routes.explainSaliency} className="underline hover:text-ink">
            What it can tell
          </HoverLink>
        </p>
      )}
    </Figure>
  );
}

interface SeenCanvasProps {
  sheet: SeenSheet;
  all: boolean;
  score: SeenPictures["score"];
}

function SeenCanvas({ sheet, all, score }: SeenCanvasProps) {
  const { pictures, width, height } = sheet;
  const canvas = usePaintedCanvas((ctx, size, colors) => paintSeen(ctx, size, colors, sheet, all));
  const what = all
    ? `${pictures} pictures that the agent saw`
    : "The newest picture that the agent saw";
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={score ? `${what}, and how much each pixel mattered for ${SCORES[score]}` : what}
      style={{ aspectRatio: `${all ? width : width / pictures} / ${height}` }}
      className={all ? "w-full" : "mx-auto w-full max-w-84 rounded-sm"}
    />
  );
}

/** Pictures that the agent saw, side by side in a part of a bitmap, the oldest on the left. */
export interface SeenSheet {
  bitmap: ImageBitmap;
  pictures: number;
  /** Of all pictures together. */
  left: number;
  top: number;
  width: number;
  height: number;
  /** Whether a grey map of the same size, which says how much each pixel mattered, lies below them. */
  hasMaps: boolean;
}

/** A whole bitmap of pictures, with saliency maps below them if there are some. */
export function sheetOf(bitmap: ImageBitmap, pictures: number, hasMaps: boolean): SeenSheet {
  const height = hasMaps ? bitmap.height / 2 : bitmap.height;
  return { bitmap, pictures, left: 0, top: 0, width: bitmap.width, height, hasMaps };
}

/** The newest picture, or all of them, with saliency over them in the accent colour. */
function paintSeen(
  ctx: CanvasRenderingContext2D,
  size: CanvasSize,
  colors: TokenColors,
  sheet: SeenSheet,
  all: boolean,
): void {
  const { bitmap, pictures, left, top, width, height, hasMaps } = sheet;
  if (bitmap.width === 0) return; // closed: a newer one follows
  const each = width / pictures;
  const shown = all ? width : each;
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(bitmap, left + width - shown, top, shown, height, 0, 0, size.width, size.height);
  if (!hasMaps) return;
  const maps = canvasOf(width, height);
  maps.drawImage(bitmap, left, top + height, width, height, 0, 0, width, height);
  const { data } = maps.getImageData(0, 0, width, height);
  const overlay = canvasOf(shown, height);
  const image = overlay.createImageData(shown, height);
  alphaOf(data, { width, height, pictures, merged: !all }).forEach((alpha, i) => {
    image.data[4 * i + 3] = alpha;
  });
  overlay.putImageData(image, 0, 0);
  overlay.globalCompositeOperation = "source-in";
  overlay.fillStyle = colors.of("saliency");
  overlay.fillRect(0, 0, shown, height);
  ctx.imageSmoothingEnabled = true;
  ctx.drawImage(overlay.canvas, 0, 0, size.width, size.height);
}

function canvasOf(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext("2d", { willReadFrequently: true })!;
}

/** Bytes of a picture in the order of `ImageData`: red, green, blue, alpha. */
type Rgba = ArrayLike<number>;

/** The strongest pixel of an overlay leaves so much of the picture visible. */
const STRONGEST = 0.85;

/**
 * How opaque each pixel of the overlay is, from 0 to 255. `maps` are grey and lie side by side, `width` × `height` in all.
 * Merged, they become one picture: the strongest of all at each pixel.
 */
export function alphaOf(
  maps: Rgba,
  {
    width,
    height,
    pictures,
    merged,
  }: { width: number; height: number; pictures: number; merged: boolean },
): Uint8ClampedArray {
  const each = width / pictures;
  const shown = merged ? each : width;
  const alpha = new Uint8ClampedArray(shown * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * shown + (merged ? x % each : x);
      alpha[at] = Math.max(alpha[at]!, STRONGEST * maps[4 * (y * width + x)]!);
    }
  }
  return alpha;
}
