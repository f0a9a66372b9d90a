export { brief, bytes, compact, count, decimal, NONE, percent, plural, setting } from "./number";
export { age, clockTime, duration, elapsed, moment, remaining } from "./time";
export { parseNumber } from "./parse-number";
