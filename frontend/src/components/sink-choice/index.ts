export { InstallCommand } from "./install-command";
export { SinkChoice } from "./sink-choice";
