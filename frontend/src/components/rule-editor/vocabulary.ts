import type { Algorithm } from "@/lib/api/types";
import type { MetricRegistry } from "@/lib/registry/metrics";
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
