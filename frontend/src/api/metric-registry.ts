"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { metricDefinitionsQuery } from "./choices";
import type { MetricDefinitions, MetricInfo } from "./types";

/**
 * The service's definitions of metrics, in reading order. A metric without one is shown under its logged
 * name.
 */
export class MetricRegistry {
  private readonly byName: ReadonlyMap<string, MetricInfo>;
  private readonly order: ReadonlyMap<string, number>;

  constructor(private readonly definitions: MetricDefinitions = NONE) {
    const { metrics } = definitions;
    this.byName = new Map(metrics.map((metric) => [metric.name, metric]));
    this.order = new Map(metrics.map(({ name }, i) => [name, i]));
  }

  /** Episodes in the mean return and in the mean length; null while that is not known. */
  get meanEpisodes(): number | null {
    return this.definitions.mean_episodes || null;
  }

  /** Episodes in the moving average whose best value is the best average; null while that is not known. */
  get averageEpisodes(): number | null {
    return this.definitions.average_episodes || null;
  }

  get all(): readonly MetricInfo[] {
    return this.definitions.metrics;
  }

  /** The definition of a metric; a generic one if the service has none. */
  get(name: string): MetricInfo {
    return (
      this.byName.get(name) ??
      componentInfo(name) ??
      tapInfo(name) ?? { ...UNKNOWN, name, label: name }
    );
  }

  isKnown(name: string): boolean {
    return this.byName.has(name);
  }

  /** In reading order; metrics without a definition come last, by name. */
  sorted(names: Iterable<string>): string[] {
    const place = (name: string) => this.order.get(name) ?? Infinity;
    return [...names].sort((a, b) => compare(place(a), place(b)) || a.localeCompare(b));
  }

  /** The metrics that `accepts` returns true for, by group; without empty groups. */
  grouped(accepts: (metric: MetricInfo) => boolean): { title: string; metrics: MetricInfo[] }[] {
    const accepted = this.all.filter(accepts);
    return this.definitions.groups
      .map(({ id, title }) => ({ title, metrics: accepted.filter(({ group }) => group === id) }))
      .filter(({ metrics }) => metrics.length > 0);
  }
}

const NONE: MetricDefinitions = {
  groups: [],
  metrics: [],
  mean_episodes: 0,
  average_episodes: 0,
};

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
  component: null,
  of_environment: true,
  algorithms: [],
};

const REWARD = "reward/";
const TAPS = "taps/";
const EPISODES = ["episode/", REWARD, TAPS];

/** Whether a metric has a value for each episode. */
export function isOfEpisodes(metric: string): boolean {
  return EPISODES.some((prefix) => metric.startsWith(prefix));
}

/** The definition of a component of the reward that only an environment of the user has. */
function componentInfo(name: string): MetricInfo | null {
  if (!name.startsWith(REWARD) || name === REWARD) return null;
  const words = name.slice(REWARD.length).replaceAll("_", " ");
  return {
    ...UNKNOWN,
    name,
    label: `Reward: ${words}`,
    help: "A component of the environment's reward. Sum over one training episode.",
    group: "reward",
    component: words.charAt(0).toUpperCase() + words.slice(1),
  };
}

/** The definition of the changes of a variable of a game, which only a game of the user has. */
function tapInfo(name: string): MetricInfo | null {
  if (!name.startsWith(TAPS) || name === TAPS) return null;
  return {
    ...UNKNOWN,
    name,
    label: `Changes of ${name.slice(TAPS.length)}`,
    help: "Steps of an episode that changed this variable of the game. Logged until an episode has changed it.",
    unit: "steps",
    group: "exploration",
    minimum: 0,
  };
}

/** Not `a - b`, since Infinity − Infinity is NaN. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The service's definitions of metrics; empty while they load. */
export function useMetricRegistry(): MetricRegistry {
  const { data } = useQuery(metricDefinitionsQuery);
  return useMemo(() => new MetricRegistry(data), [data]);
}
