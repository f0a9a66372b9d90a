import { extremes } from "@/lib/stream";
import type { Points } from "./align";
import type { ReadonlyColumn } from "./model";

/** At most about `max` points, the smallest and the largest of every stretch among them. */
export function thinForScreen({ x, y, length }: ReadonlyColumn, max: number): Points {
  const points: Points = { x: [], y: [] };
  const keep = (i: number) => {
    points.x.push(x[i]!);
    points.y.push(Number.isNaN(y[i]!) ? null : y[i]!);
  };
  if (length <= max) {
    for (let i = 0; i < length; i += 1) keep(i);
    return points;
  }
  const stretch = Math.ceil(length / (max / 2));
  for (let start = 0; start < length; start += stretch) {
    const [first, second] = extremes(y, start, Math.min(length, start + stretch));
    keep(first);
    if (second !== first) keep(second);
  }
  return points;
}
