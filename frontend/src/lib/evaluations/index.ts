// Apart from readiness, which knows the rule of all actions: the list of runs asks for the usual policy alone.
export { stepsBehind, usualPolicy } from "./evaluated-policy";
export { endedSince, hasEpisodes, isUnderWay, whyNotYet, whyNoVideo } from "./readiness";
export { useEvaluate } from "./use-evaluate";
