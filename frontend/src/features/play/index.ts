export { PlayChoices } from "./play-choices";
export { PlayEnvironment } from "./play-environment";
export { PlayRun } from "./play-run";
