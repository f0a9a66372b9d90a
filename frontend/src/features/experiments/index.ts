export { Experiments } from "./experiments";
export { ExperimentTrials } from "./experiment-trials";
