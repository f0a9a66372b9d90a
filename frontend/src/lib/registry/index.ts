/** What the service says about algorithms, metrics and limits, so that the front end has no copy of it. */
export { MetricRegistry } from "./metrics";
export { HUMAN, useAlgorithmName } from "./use-algorithm-name";
export { useEnvironmentStill, useRunStill } from "./use-environment-still";
export { useLimits } from "./use-limits";
export { useMetricRegistry } from "./use-metric-registry";
