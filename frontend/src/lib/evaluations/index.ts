export { bestPolicy, endedSince, isUnderWay, whyNotYet, whyNoVideo } from "./readiness";
export { useEvaluate } from "./use-evaluate";
