export { brief, bytes, compact, count, decimal, interval, NONE, percent, plural } from "./number";
export { noInterval, setting } from "./number";
export { age, clockTime, duration, elapsed, moment, remaining } from "./time";
export { solvedAt, solvedWords, unsolvedWords } from "./solved";
export { parseNumber } from "./parse-number";
export { presetName } from "./preset";
