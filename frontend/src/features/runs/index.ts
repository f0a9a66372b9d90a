export { NewRun } from "./form/new-run";
export { RunList } from "./list/run-list";
export { RunListSkeleton } from "./list/run-list-skeleton";
