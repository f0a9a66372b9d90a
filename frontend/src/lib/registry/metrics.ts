import type { MetricDefinitions, MetricInfo } from "@/lib/api";

/** The metrics that the service knows, in reading order. One that it does not know keeps its logged name. */
export class MetricRegistry {
  private readonly byName: ReadonlyMap<string, MetricInfo>;
  private readonly order: ReadonlyMap<string, number>;

  constructor(private readonly definitions: MetricDefinitions = { groups: [], metrics: [] }) {
    const { metrics } = definitions;
    this.byName = new Map(metrics.map((metric) => [metric.name, metric]));
    this.order = new Map(metrics.map(({ name }, i) => [name, i]));
  }

  get all(): readonly MetricInfo[] {
    return this.definitions.metrics;
  }

  /** What is known of a metric; of an unknown one what can be said of any. */
  get(name: string): MetricInfo {
    return this.byName.get(name) ?? { ...UNKNOWN, name, label: name };
  }

  isKnown(name: string): boolean {
    return this.byName.has(name);
  }

  /** In the order in which they are read, unknown ones last, by name. */
  sorted(names: Iterable<string>): string[] {
    const place = (name: string) => this.order.get(name) ?? Infinity;
    return [...names].sort((a, b) => compare(place(a), place(b)) || a.localeCompare(b));
  }

  /** The metrics that `accepts` takes, in their groups; groups without any are left out. */
  grouped(accepts: (metric: MetricInfo) => boolean): { title: string; metrics: MetricInfo[] }[] {
    const accepted = this.all.filter(accepts);
    return this.definitions.groups
      .map(({ id, title }) => ({ title, metrics: accepted.filter(({ group }) => group === id) }))
      .filter(({ metrics }) => metrics.length > 0);
  }
}

const UNKNOWN: Omit<MetricInfo, "name" | "label"> = {
  help: "",
  unit: "",
  group: "optimizer",
  kind: "measured",
  place: "detail",
  superseded_by: null,
  negate: false,
  log_scale: false,
  minimum: null,
  maximum: null,
  algorithms: [],
};

/** Infinity − Infinity is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
