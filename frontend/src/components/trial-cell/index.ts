/** A trial of an experiment in a table: its status, its score and its returns. */
export { TrialCell } from "./trial-cell";
