const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When a deleted run will be removed for good: `in 6 days`, `in 5 hours`, `within the hour`. */
export function untilRemoval(at: string, now: number): string {
  const left = Date.parse(at) - now;
  if (left < HOUR) return "within the hour";
  if (left < 2 * DAY) return `in ${count(left / HOUR, "hour")}`;
  return `in ${count(left / DAY, "day")}`;
}

/** Rounded down, so that a run is not removed before the time that was shown. */
function count(value: number, unit: string): string {
  const whole = Math.floor(value);
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`;
}
