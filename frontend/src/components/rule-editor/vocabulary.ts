import type { MetricRegistry } from "@/api/metric-registry";
import type { Algorithm } from "@/api/types";
import type { Vocabulary } from "./draft";

/** Metrics that only evaluations while training log. */
const EVALUATION = "eval/";

/** The metrics that rules may look at, grouped. */
export function metricsFor(
  registry: Pick<MetricRegistry, "grouped">,
  algorithm: Pick<Algorithm, "metrics"> | undefined,
  evaluates: boolean,
): Vocabulary["metrics"] {
  const logged = new Set(algorithm?.metrics);
  return registry.grouped(
    ({ name }) => logged.has(name) || (evaluates && name.startsWith(EVALUATION)),
  );
}
