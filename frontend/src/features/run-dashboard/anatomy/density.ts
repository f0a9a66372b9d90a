import type { Histogram } from "@/api/types";

/** Histograms of a quantity at several steps, on one axis. */
export interface Density {
  low: number;
  high: number;
  bins: number;
  columns: readonly Column[];
}

export interface Column {
  step: number;
  /** Share of the values in each bin, relative to the largest share; null without values. */
  shares: Float32Array | null;
}

interface Moment {
  step: number;
  histogram: Histogram | null;
}

const BINS = 40;
/**
 * The axis ends this many standard deviations from the mean, so that one outlier does not press all values
 * into one bin.
 */
const DEVIATIONS = 4;
/**
 * Share of the moments that may lie beyond either end of the axis, so that one failed update does not hide
 * the rest.
 */
const BEYOND = 0.05;

/**
 * `moments` must be in the order of their steps. Of whole numbers from 0 the axis has all `values`, also those that
 * never came. Null without data.
 */
export function density(moments: readonly Moment[], values = 0): Density | null {
  const found = moments.flatMap(({ histogram }) => histogram ?? []);
  if (found.length === 0) return null;
  const low = quantile(
    found.map(({ low, mean, std }) => Math.max(low, mean - DEVIATIONS * std)),
    BEYOND,
  );
  const high = quantile(
    found.map(({ high, mean, std }) => Math.min(high, mean + DEVIATIONS * std)),
    1 - BEYOND,
  );
  const axis = high > low ? { low, high } : around(low);
  const bins = wholeBins(found, axis, values) ?? BINS;
  const columns = moments.map(({ step, histogram }) => ({
    step,
    shares: histogram && shares(histogram, axis, bins),
  }));
  return { ...axis, bins, columns };
}

/**
 * The distribution of `histogram` over the bins of another axis. Values beyond an end count in the last bin
 * there.
 */
function shares(histogram: Histogram, axis: { low: number; high: number }, bins: number) {
  const found = new Float32Array(bins);
  const wide = (histogram.high - histogram.low) / histogram.counts.length;
  const bin = (axis.high - axis.low) / bins;
  histogram.counts.forEach((count, i) => {
    if (count === 0) return;
    const from = (histogram.low + i * wide - axis.low) / bin;
    const to = from + wide / bin;
    const first = clamp(Math.floor(from), bins);
    const last = clamp(Math.ceil(to) - 1, bins);
    for (let at = first; at <= last; at++) {
      const begin = at === first ? from : at;
      const end = at === last ? to : at + 1;
      found[at]! += (count * (end - begin)) / (to - from);
    }
  });
  const most = Math.max(...found);
  return most > 0 ? found.map((share) => share / most) : found;
}

/** Integer values, such as discrete actions, get a bin each. */
function wholeBins(
  found: readonly Histogram[],
  axis: { low: number; high: number },
  values: number,
) {
  const whole = found.every(
    ({ low, high, counts }) => high - low === counts.length && Number.isInteger(low + 0.5),
  );
  if (!whole) return null;
  const named = values > 0 ? [{ low: -0.5, high: values - 0.5 }] : [];
  axis.low = Math.min(...[...found, ...named].map(({ low }) => low));
  axis.high = Math.max(...[...found, ...named].map(({ high }) => high));
  return axis.high - axis.low;
}

function clamp(bin: number, bins: number): number {
  return Math.min(Math.max(bin, 0), bins - 1);
}

function around(value: number) {
  const half = Math.max(Math.abs(value) * 1e-3, 1e-6);
  return { low: value - half, high: value + half };
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))]!;
}
