export { Compare } from "./compare";
export { CompareSkeleton } from "./compare-skeleton";
