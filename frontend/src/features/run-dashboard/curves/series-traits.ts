import type { Column } from "@/stream/series/column";
import type { RunSeries } from "@/stream/series/run-series";

/** Properties of a run's values that decide which charts are worth drawing. */
export interface SeriesTraits {
  /** Metrics with only one value so far. */
  constant: ReadonlySet<string>;
  /** Metrics whose points lie on a straight line, constant or not. */
  straight: ReadonlySet<string>;
  /** Whether episode lengths say more than returns do. */
  lengthTells: boolean;
}

/** With fewer episodes it is too early to tell whether lengths repeat the returns. */
const ENOUGH = 3;

export function seriesTraits(series: RunSeries): SeriesTraits {
  const names = series.names.get();
  return {
    constant: new Set(names.filter((name) => isConstant(series.column(name)))),
    straight: new Set(names.filter((name) => isStraight(series.column(name)))),
    lengthTells: !repeats(series.column("episode/reward"), series.column("episode/length")),
  };
}

function isConstant({ y, length }: Column): boolean {
  let only = Number.NaN;
  for (let i = 0; i < length; i += 1) {
    const value = y[i]!;
    if (Number.isNaN(value)) continue;
    if (Number.isNaN(only)) only = value;
    else if (value !== only) return false;
  }
  return true;
}

/** Largest deviation from the line, as a share of its rise, that counts as rounding. */
const ROUNDING = 1e-3;

function isStraight({ x, y, length }: Column): boolean {
  const [from, to] = [0, length - 1];
  const rise = y[to]! - y[from]!;
  for (let i = 1; i < to; i += 1) {
    const share = x[to] === x[from] ? 0 : (x[i]! - x[from]!) / (x[to]! - x[from]!);
    // Gaps do not count.
    if (!(Math.abs(y[i]! - y[from]! - share * rise) <= Math.abs(rise) * ROUNDING)) return false;
  }
  return true;
}

/**
 * Whether every length equals the return of its episode, except for the sign and the last reward, as it does
 * where each step is rewarded with 1 or −1. Thinned columns are compared where they have the same positions.
 */
function repeats(returns: Column, lengths: Column): boolean {
  if (lengths.length < ENOUGH) return true;
  let at = 0;
  for (let i = 0; i < lengths.length; i += 1) {
    while (at < returns.length && returns.x[at]! < lengths.x[i]!) at += 1;
    if (returns.x[at] !== lengths.x[i]) continue;
    if (Math.abs(Math.abs(returns.y[at]!) - lengths.y[i]!) > 1) return false;
    at += 1;
  }
  return true;
}
