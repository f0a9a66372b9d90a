export {
  canDo,
  isGuest,
  type JudgedRun,
  learns,
  type RunAction,
  suits,
  whyNot,
  whyNotCompare,
} from "./rule";
export type { RunActions } from "./run-actions";
export { useRunActions } from "./use-run-actions";
