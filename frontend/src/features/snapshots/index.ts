export { ForkDialog } from "./fork-dialog";
export { SnapshotsPanel } from "./snapshots-panel";
