import type { CanvasSize, TokenColors } from "@/charts/canvas";
import type { Density } from "./density";

interface PaintedDensity {
  density: Density;
  /** Index of the selected column. */
  chosen: number;
  band: readonly [number, number] | null;
}

/** Paints steps from left to right and values from bottom to top; the more values in a bin, the darker it is. */
export function paintDensity(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { density: { low, high, bins, columns }, chosen, band }: PaintedDensity,
): void {
  const [wide, tall] = [width / columns.length, height / bins];
  ctx.fillStyle = colors.of("chart-mean");
  columns.forEach(({ shares }, i) => {
    const left = Math.floor(i * wide);
    const right = Math.floor((i + 1) * wide);
    shares?.forEach((share, bin) => {
      if (share === 0) return;
      ctx.globalAlpha = 0.08 + 0.87 * share;
      ctx.fillRect(left, height - (bin + 1) * tall, right - left, tall + 0.5);
    });
  });
  ctx.globalAlpha = 1;
  const y = (value: number) => height - ((value - low) / (high - low)) * height;
  ctx.strokeStyle = colors.of("chart-reference");
  ctx.setLineDash([4, 3]);
  for (const value of band ?? [0]) {
    if (value <= low || value >= high) continue;
    ctx.beginPath();
    ctx.moveTo(0, y(value));
    ctx.lineTo(width, y(value));
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.strokeStyle = colors.of("ink");
  ctx.strokeRect(Math.floor(chosen * wide) + 0.5, 0.5, Math.max(1, wide - 1), height - 1);
}
