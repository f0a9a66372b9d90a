import type { MetricRegistry } from "@/api/metric-registry";
import type { MetricInfo } from "@/api/types";

interface MetricGroup {
  title: string;
  metrics: readonly MetricInfo[];
}

/**
 * The metrics that can be drawn of those named, by group; the last group holds those that the environment or a program
 * of the user's own logs. Counters are left out: their curves are straight lines.
 */
export function metricChoices(registry: MetricRegistry, names: Iterable<string>): MetricGroup[] {
  const wanted = new Set(names);
  const known = registry.grouped(
    ({ name, place, kind }) => wanted.has(name) && place !== "none" && kind !== "count",
  );
  const own = registry
    .sorted(wanted)
    .filter((name) => !registry.isKnown(name))
    .map((name) => registry.get(name));
  return own.length === 0 ? known : [...known, { title: "Not known to the app", metrics: own }];
}
