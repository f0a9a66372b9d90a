export {
  brief,
  bytes,
  compact,
  count,
  decimal,
  NONE,
  percent,
  plural,
  shareText,
  stepOf,
} from "./number";
export { interval, noInterval } from "./interval";
export { setting } from "./setting";
export { compactBy } from "./compact-by";
export { age, clockTime, duration, elapsed, moment, remaining } from "./time";
export { solvedAt, solvedWords, unsolvedWords } from "./solved";
export { parseNumber } from "./parse-number";
export { presetName } from "./preset";
