/** What the service knows of algorithms, metrics and limits, so that the browser has no copy of it. */
export { MetricRegistry } from "./metrics";
export { useAlgorithmName } from "./use-algorithm-name";
export { useEnvironmentStill } from "./use-environment-still";
export { useLimits } from "./use-limits";
export { useMetricRegistry } from "./use-metric-registry";
