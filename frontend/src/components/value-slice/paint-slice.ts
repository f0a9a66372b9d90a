import type { CanvasSize, TokenColors } from "@/charts/canvas";
import type { Point } from "./prepare";

interface PaintedSlice {
  shares: readonly (readonly (number | null)[])[];
  /** Of the whole episode: faint, so that values show through. */
  path: readonly (readonly Point[])[];
  /** Of the steps that led to the present one. */
  recent: readonly (readonly Point[])[];
  now: Point | null;
  /** What is read instead of it. */
  pointed: Point | null;
}

/** The more is expected, the darker; over it the episode, and where it is now. */
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
