import type { CanvasSize, TokenColors } from "@/charts/canvas";
import { alphaOf } from "./overlay";

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

/** A whole bitmap of pictures, and of maps below them if there are some. */
export function sheetOf(bitmap: ImageBitmap, pictures: number, hasMaps: boolean): SeenSheet {
  const height = hasMaps ? bitmap.height / 2 : bitmap.height;
  return { bitmap, pictures, left: 0, top: 0, width: bitmap.width, height, hasMaps };
}

/** The newest picture, or all; where it mattered, in the accent colour over it. */
export function paintSeen(
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
