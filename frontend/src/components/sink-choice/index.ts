export { InstallCommand } from "./install-command";
export { SinkDisclosure } from "./sink-disclosure";
