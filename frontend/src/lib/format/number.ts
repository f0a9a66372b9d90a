export const NONE = "–";

const grouped = new Intl.NumberFormat("en-US");
const compactUnits: [number, string][] = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
];

/** `20480` → `20,480`. */
export function count(value: number | null | undefined): string {
  return isNumber(value) ? grouped.format(Math.round(value)) : NONE;
}

/** A short form for axes and narrow places: `10000` → `10k`, `1250000` → `1.25M`. */
export function compact(value: number | null | undefined): string {
  if (!isNumber(value)) return NONE;
  for (const [size, unit] of compactUnits) {
    if (Math.abs(value) >= size) return trim(value / size, 2) + unit;
  }
  return trim(value, 2);
}

/** Three significant digits, for numbers that change while they are read: `73870` → `73.9k`. */
export function brief(value: number | null | undefined): string {
  return compact(isNumber(value) ? Number(value.toPrecision(3)) : value);
}

/** A return or a loss, with enough digits to tell neighbouring values apart. */
export function decimal(value: number | null | undefined): string {
  if (!isNumber(value)) return NONE;
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e6) return value.toExponential(2);
  if (size >= 1000) return grouped.format(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 4);
}

/** How far something is, in whole percent, rounded down, so that 100% means done. */
export function percent(share: number): string {
  // In floating point, 0.29 × 100 is slightly below 29.
  return `${Math.floor(share * 100 + 1e-9)}%`;
}

/** A share of a whole, in whole percent, rounded. Where it is progress, see `percent`. */
export function shareText(value: number): string {
  return `${Math.round(value * 100)}%`;
}

/** Bytes in units of 1,000, as everywhere in the service: `200 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(value) / 3));
  return `${trim(value / 1000 ** power, 1)} ${units[power - 1]}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

export function isNumber(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** `14,400 of 20,480`; `14,400` of a run of unknown length. */
export function stepOf({ step, end_step: end }: { step: number; end_step: number }): string {
  return end > 0 ? `${count(step)} of ${count(end)}` : count(step);
}
