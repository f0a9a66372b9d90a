export { ForkDialog } from "./fork-dialog";
export { TryChange } from "./try-change";
export { SnapshotsPanel } from "./snapshots-panel";
