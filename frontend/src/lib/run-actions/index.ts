export {
  canDo,
  isGuest,
  isOffered,
  type JudgedRun,
  learns,
  type RunAction,
  suits,
  whyLookedAtOnly,
  whyNotTrusted,
  whyNot,
  whyNotCompare,
} from "./availability";
export type { RunActions } from "./run-actions";
export { useRunActions } from "./use-run-actions";
