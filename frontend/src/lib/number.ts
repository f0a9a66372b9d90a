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

/** Progress in whole percent, rounded down, so that 100% means done. */
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

function isNumber(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** `14,400 of 20,480`; `14,400` of a run of unknown length. */
export function stepOf({ step, end_step: end }: { step: number; end_step: number }): string {
  return end > 0 ? `${count(step)} of ${count(end)}` : count(step);
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}([,_]\d{3})+$/;
const SUFFIXED = /^(.*\d\.?)\s?([kmb])$/i;
const SIZES: Record<string, string> = { k: "e3", m: "e6", b: "e9" };

/**
 * Parses a number as people type it: `50000`, `50,000`, `50_000`, `5e4`, `50k`, `1.5M`. NaN for anything
 * else, including `0x10` and blank text. Used wherever numbers are typed.
 */
export function parseNumber(text: string): number {
  const typed = text.trim();
  const suffixed = SUFFIXED.exec(typed);
  const [digits, exponent] = suffixed
    ? [suffixed[1] ?? "", SIZES[suffixed[2]?.toLowerCase() ?? ""] ?? ""]
    : [typed, ""];
  const plain = GROUPED.test(digits) ? digits.replace(/[,_]/g, "") : digits;
  if (!DECIMAL.test(plain)) return Number.NaN;
  // Parsed as one decimal literal, so that 1.1k is 1100 and not 1100.0000000000002.
  if (exponent === "") return Number(plain);
  return /e/i.test(plain) ? Number.NaN : Number(`${plain}${exponent}`);
}

const COMPACT_SIZES: Record<string, number> = { k: 1e3, M: 1e6, B: 1e9 };

/**
 * The short form with as many digits as tell values `step` apart, for the ticks of an axis: `-1178` in steps of 2 is
 * `-1,178`, in steps of 10 `-1.18k`.
 */
export function compactBy(value: number, step: number): string {
  const short = compact(value);
  const unit = short.at(-1) ?? "";
  const size = COMPACT_SIZES[unit];
  if (size === undefined || isWhole((step / size) * 100)) return short;
  return unit === "k" ? value.toLocaleString("en-US") : Number((value / size).toFixed(9)) + unit;
}

/** Without floating-point noise. */
function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6 * value;
}

/** The text in place of an interval if only one seed (or run) has a value. */
export function noInterval(one: "seed" | "run" = "seed"): string {
  return `one ${one}: no interval`;
}

/** The ends of an interval: `[92.0, 97.5]`; without them, the text of `noInterval`. */
export function interval(
  low: number | null | undefined,
  high: number | null | undefined,
  { one, format = decimal }: { one?: "seed" | "run"; format?: (value: number) => string } = {},
): string {
  return isNumber(low) && isNumber(high) ? `[${format(low)}, ${format(high)}]` : noInterval(one);
}

/**
 * The value of a hyperparameter as a person would write it: `0.0003`, `1e-8`, `[64, 64]`, `linear`. It has every digit,
 * so that a field that shows it returns it unchanged; use `settingText` for text that is only read.
 */
export function setting(value: unknown): string {
  return written(value, String);
}

/** As `setting`, with numbers in at most six digits: `2.47429e-6`. */
export function settingText(value: unknown): string {
  return written(value, shortNumber);
}

function written(value: unknown, number: (value: number) => string): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.map((one) => written(one, number)).join(", ") || "none";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

const DIGITS = 6;

function shortNumber(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  const short = Number(value.toPrecision(DIGITS));
  return Math.abs(short) < 1e-4 ? short.toExponential() : String(short);
}

/** The id of an environment without its namespace, for narrow places: `GameBoy/Lamplighter-v0` → `Lamplighter-v0`. */
export function shortEnvironment(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}

/** Display name of a preset: `high-score` → `High Score`. Without one, a run has the algorithm's defaults. */
export function presetName(preset: string | null): string {
  if (preset === null) return "Defaults";
  return preset.replace(
    /(^|-)(.)/g,
    (_, dash, letter: string) => `${dash ? " " : ""}${letter.toUpperCase()}`,
  );
}
