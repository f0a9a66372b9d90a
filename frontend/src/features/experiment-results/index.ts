export { ExperimentView } from "./experiment-view";
export { ResultsSkeleton } from "./results-skeleton";
