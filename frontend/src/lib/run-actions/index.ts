export { canDo, type JudgedRun, type RunAction, whyNot, whyNotCompare } from "./rule";
export { type RunActions, runActions } from "./run-actions";
export { useRunActions } from "./use-run-actions";
