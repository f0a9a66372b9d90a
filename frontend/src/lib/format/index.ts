export { brief, bytes, compact, count, decimal, interval, NONE } from "./number";
export { noInterval, percent, plural, setting, shareText } from "./number";
export { compactBy } from "./compact-by";
export { age, clockTime, duration, elapsed, moment, remaining } from "./time";
export { solvedAt, solvedWords, unsolvedWords } from "./solved";
export { parseNumber } from "./parse-number";
export { presetName } from "./preset";
