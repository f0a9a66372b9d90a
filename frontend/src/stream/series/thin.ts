const WINDOW = 4;

interface Points {
  x: Float64Array;
  y: Float64Array;
  spans: Float64Array;
  smoothed: Float64Array;
}

/**
 * Thins the older half of a column in place: of every four points the smallest and the largest stay, in
 * order, and stand for all four. Returns the new length.
 */
export function halveOldest({ x, y, spans, smoothed }: Points, length: number): number {
  const half = Math.floor(length / 2 / WINDOW) * WINDOW;
  let write = 0;
  const keep = (from: number, span: number) => {
    x[write] = x[from]!;
    y[write] = y[from]!;
    spans[write] = span;
    smoothed[write] = smoothed[from]!;
    write += 1;
  };
  for (let start = 0; start < half; start += WINDOW) {
    const [first, second] = extremes(y, start, start + WINDOW);
    const span = sum(spans, start, start + WINDOW) / 2;
    keep(first, span);
    keep(second, span);
  }
  x.copyWithin(write, half, length);
  y.copyWithin(write, half, length);
  spans.copyWithin(write, half, length);
  smoothed.copyWithin(write, half, length);
  return write + length - half;
}

function sum(values: Float64Array, from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i += 1) total += values[i]!;
  return total;
}

/** Positions of the smallest and the largest value in `[from, to)`, the earlier one first. */
export function extremes(y: Float64Array, from: number, to: number): [number, number] {
  let low = -1;
  let high = -1;
  for (let i = from; i < to; i += 1) {
    const value = y[i]!;
    if (Number.isNaN(value)) continue;
    if (low === -1 || value < y[low]!) low = i;
    if (high === -1 || value >= y[high]!) high = i;
  }
  if (low === -1) return [from, to - 1];
  if (low === high) return low === from ? [from, to - 1] : [from, low];
  return low < high ? [low, high] : [high, low];
}
