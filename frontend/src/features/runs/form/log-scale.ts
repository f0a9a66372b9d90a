interface Bounds {
  minimum: number;
  maximum: number;
}

/** Position of `value` between the bounds on a logarithmic scale, from 0 to 1. */
export function positionOf(value: number, { minimum, maximum }: Bounds): number {
  if (!(value > 0)) return 0;
  const share = Math.log(value / minimum) / Math.log(maximum / minimum);
  return Math.min(1, Math.max(0, share));
}

/** The value at a position between 0 and 1, rounded to two significant digits. */
export function valueAt(position: number, { minimum, maximum }: Bounds): number {
  const exact = minimum * (maximum / minimum) ** position;
  return Math.min(maximum, Math.max(minimum, Number(exact.toPrecision(2))));
}
