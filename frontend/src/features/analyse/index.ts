export { Analyse } from "./analyse";
export { AnalyseSkeleton } from "./analyse-skeleton";
