export { ExperimentHeader } from "./experiment-header";
export { Experiments } from "./experiments";
export { ExperimentTrials } from "./experiment-trials";
export { SpecificationCard } from "./specification-card";
