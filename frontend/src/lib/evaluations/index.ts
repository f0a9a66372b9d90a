export {
  endedSince,
  hasEpisodes,
  isUnderWay,
  stepsBehind,
  usualPolicy,
  whyNotYet,
  whyNoVideo,
} from "./readiness";
export { useEvaluate } from "./use-evaluate";
