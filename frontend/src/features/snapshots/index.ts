export { SnapshotsPanel } from "./snapshots-panel";
