import { NONE } from "./number";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Formatters are reused: creating one takes a hundred times as long as formatting, and lists format in every
 * row.
 */
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
});
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hour12: false });

/** `83000` → `1m 23s`. Negative values, from clocks that disagree, count as 0. */
export function duration(ms: number): string {
  const left = Math.max(0, ms);
  if (left < MINUTE) return `${Math.floor(left / SECOND)}s`;
  if (left < HOUR) return `${Math.floor(left / MINUTE)}m ${pad((left % MINUTE) / SECOND)}s`;
  if (left < DAY) return `${Math.floor(left / HOUR)}h ${pad((left % HOUR) / MINUTE)}m`;
  return `${Math.floor(left / DAY)}d ${pad((left % DAY) / HOUR)}h`;
}

/** An estimate, rounded to what it can say: `less than 1s`, `about 14s`, `about 8m 20s`, `about 54m`, `about 2h 05m`. */
export function aboutDuration(ms: number): string {
  if (ms < SECOND) return "less than 1s";
  const unit = ms < MINUTE ? SECOND : ms < 10 * MINUTE ? 10 * SECOND : MINUTE;
  const rounded = Math.round(ms / unit) * unit;
  const inMinutes = rounded >= 10 * MINUTE && rounded < HOUR;
  return `about ${inMinutes ? `${rounded / MINUTE}m` : duration(rounded)}`;
}

/** `just now`, `5m ago`, `3h ago`, `2d ago`, then the date. */
export function age(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < MINUTE) return "just now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h ago`;
  if (ms < 14 * DAY) return `${Math.floor(ms / DAY)}d ago`;
  return DATE.format(new Date(at));
}

/** Date and time of day in the user's time zone. */
export function moment(at: string | null): string {
  if (at === null) return NONE;
  return DATE_AND_TIME.format(new Date(at));
}

/** Time of day in the user's time zone: `14:03:09`. */
export function clockTime(at: string): string {
  return TIME.format(new Date(at));
}

interface Timed {
  started_at: string | null;
  /** Seconds that earlier attempts have trained. */
  trained_before?: number;
  ended_at: string | null;
}

/** Milliseconds that a run has trained; null before it started. */
export function elapsed(
  { started_at, ended_at, trained_before = 0 }: Timed,
  now: number,
): number | null {
  const before = trained_before * SECOND;
  if (started_at === null) return before > 0 ? before : null;
  const end = ended_at === null ? now : Date.parse(ended_at);
  return before + Math.max(0, end - Date.parse(started_at));
}

interface Paced {
  step: number;
  end_step: number;
  fps: number | null;
}

/** Estimated milliseconds until the last step at the current rate; null without a rate. */
export function remaining({ step, end_step, fps }: Paced): number | null {
  if (fps === null || fps <= 0) return null;
  return (Math.max(0, end_step - step) / fps) * SECOND;
}

function pad(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}
