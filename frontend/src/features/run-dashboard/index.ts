export { RunDashboard } from "./run-dashboard";
export { RunNotFound } from "./run-not-found";
export { RunSkeleton } from "./run-skeleton";
