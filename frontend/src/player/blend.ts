/** How translucent frames are put over each other. */
export interface Blend {
  /**
   * How a frame's own colours change: its dark or its bright parts take the colour of its run; null: they do not
   * change.
   */
  stain: "lighten" | "darken" | null;
  /** How a frame is combined with the frames before it. */
  over: "multiply" | "screen" | "source-over";
}

/**
 * The blend for frames of a mean brightness from 0 to 1. On a bright background the agent is dark: its ghosts are
 * printed over each other like inks. On a dark one they are added like lights. Between, every frame has the same share.
 */
export function blendFor(brightness: number): Blend {
  if (brightness > 0.7) return { stain: "lighten", over: "multiply" };
  if (brightness < 0.3) return { stain: "darken", over: "screen" };
  return { stain: null, over: "source-over" };
}

/** Mean brightness of pixels as a canvas has them, four bytes each, from 0 to 1. */
export function brightnessOf(pixels: Uint8ClampedArray): number {
  let sum = 0;
  for (let i = 0; i < pixels.length; i += 4)
    sum += pixels[i]! * 0.299 + pixels[i + 1]! * 0.587 + pixels[i + 2]! * 0.114;
  return pixels.length === 0 ? 1 : sum / (pixels.length / 4) / 255;
}

/** Opacity of frame number `place`, from 0, so that all frames are equally visible. */
export function shareOf({ over }: Blend, place: number): number {
  return over === "source-over" ? 1 / (place + 1) : 1;
}

/** A frame, and the colour of its run. */
export interface Ghost {
  picture: ImageBitmap | HTMLVideoElement;
  /** null: it keeps its own colours. */
  color: string | null;
  /** Whether its episode is over: it is drawn fainter. */
  isOver: boolean;
  /** Pixels at the bottom of the frame that are not drawn: a caption. */
  caption?: number;
}

/** Width and height of a frame in pixels. */
function sizeOf(picture: Ghost["picture"]): { width: number; height: number } {
  return "videoWidth" in picture
    ? { width: picture.videoWidth, height: picture.videoHeight }
    : picture;
}

const OVER_SHARE = 0.35;
const SAMPLE = 16;

/** Draws all ghosts into one frame, with `layer` as a buffer for one of them. */
export function drawGhosts(
  target: HTMLCanvasElement,
  layer: HTMLCanvasElement,
  ghosts: readonly Ghost[],
) {
  const ctx = target.getContext("2d");
  const paint = layer.getContext("2d", { willReadFrequently: true });
  const first = ghosts[0]?.picture;
  if (!ctx || !paint || !first) return;
  const { width, height } = sizeOf(first);
  if (width === 0 || height === 0) return;
  for (const canvas of [target, layer]) {
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }
  paint.globalCompositeOperation = "copy";
  paint.drawImage(first, 0, 0, SAMPLE, SAMPLE);
  const blend = blendFor(brightnessOf(paint.getImageData(0, 0, SAMPLE, SAMPLE).data));
  ctx.globalCompositeOperation = "source-over";
  ctx.globalAlpha = 1;
  ctx.fillStyle = blend.over === "screen" ? "black" : "white";
  ctx.fillRect(0, 0, width, height);
  ghosts.forEach(({ picture, color, isOver, caption = 0 }, place) => {
    paint.globalCompositeOperation = "copy";
    paint.drawImage(picture, 0, 0, width, height);
    if (blend.stain && color !== null) {
      paint.globalCompositeOperation = blend.stain;
      paint.fillStyle = color;
      paint.fillRect(0, 0, width, height);
    }
    ctx.globalCompositeOperation = blend.over;
    ctx.globalAlpha = shareOf(blend, place) * (isOver ? OVER_SHARE : 1);
    const shown = height - caption;
    ctx.drawImage(layer, 0, 0, width, shown, 0, 0, width, shown);
  });
  target.dataset.ghosts = String(ghosts.length);
  target.dataset.frames = String(Number(target.dataset.frames ?? 0) + 1);
}
