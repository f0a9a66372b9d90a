export { brief, bytes, compact, count, decimal, NONE, percent, plural, setting } from "./number";
export { age, duration, elapsed, moment, remaining } from "./time";
