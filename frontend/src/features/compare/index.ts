export { CompareView } from "./compare-view";
export { CompareSkeleton } from "./compare-skeleton";
