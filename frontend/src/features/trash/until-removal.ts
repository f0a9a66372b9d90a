const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** `in 6 days`, `in 5 hours`, `within the hour`: when a deleted run is removed for good. */
export function untilRemoval(at: string, now: number): string {
  const left = Date.parse(at) - now;
  if (left < HOUR) return "within the hour";
  if (left < 2 * DAY) return `in ${count(left / HOUR, "hour")}`;
  return `in ${count(left / DAY, "day")}`;
}

/** Rounded down: never later than it will be. */
function count(value: number, unit: string): string {
  const whole = Math.floor(value);
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`;
}
