interface Bounds {
  minimum: number;
  maximum: number;
}

/** Where a value stands between its bounds, from 0 to 1, when every tenfold is as long. */
export function positionOf(value: number, { minimum, maximum }: Bounds): number {
  if (!(value > 0)) return 0;
  const share = Math.log(value / minimum) / Math.log(maximum / minimum);
  return Math.min(1, Math.max(0, share));
}

/** The round value at a position: two digits, as a person would choose it. */
export function valueAt(position: number, { minimum, maximum }: Bounds): number {
  const exact = minimum * (maximum / minimum) ** position;
  return Math.min(maximum, Math.max(minimum, Number(exact.toPrecision(2))));
}
