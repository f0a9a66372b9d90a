export interface Scale {
  (value: number): number;
  invert: (at: number) => number;
}

/** A linear map from values to pixels. */
export function scale(from: readonly [number, number], to: readonly [number, number]): Scale {
  const rate = (to[1] - to[0]) / (from[1] - from[0] || 1);
  const map = (value: number) => to[0] + (value - from[0]) * rate;
  return Object.assign(map, { invert: (at: number) => from[0] + (at - to[0]) / rate });
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Rounds to the nearest multiple of `step`, without floating-point digits such as 0.30000000000000004. */
export function roundTo(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(6));
}

/** `count + 1` evenly spaced values from first to last. */
export function linspace(first: number, last: number, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, i) => first + ((last - first) * i) / count);
}

/** SVG path data through points given in pixels. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
