import type { MetricCurves } from "@/api/types";
import { Column } from "./column";
import { RecentMean } from "./recent-mean";

/** Mean return and mean length of the last episodes: columns that are computed here, not logged. */
export const MEAN_RETURN = "mean/return";
export const MEAN_LENGTH = "mean/length";

/** The last episodes before a fork, from which its means go on. */
export type EpisodesBefore = NonNullable<MetricCurves["before"]>;

interface MeanSource {
  /** The metric that it averages. */
  of: string;
  /** Where its values before a fork are. */
  before: keyof EpisodesBefore;
  /** Stable-Baselines3's logged mean, which is equal at the rows where it is logged. */
  logged: string;
}

const SOURCES: Record<string, MeanSource> = {
  [MEAN_RETURN]: { of: "episode/reward", before: "returns", logged: "rollout/ep_rew_mean" },
  [MEAN_LENGTH]: { of: "episode/length", before: "lengths", logged: "rollout/ep_len_mean" },
};

/** The computed mean that replaces a logged one, and the metric it is computed from; null for other metrics. */
export function episodeMeanOf(logged: string): { name: string; of: string } | null {
  const found = Object.entries(SOURCES).find(([, source]) => source.logged === logged);
  return found ? { name: found[0], of: found[1].of } : null;
}

interface Mean {
  name: string;
  source: MeanSource;
  column: Column;
  recent: RecentMean;
  /** Whether `recent` contains the newest episodes without a gap. */
  isExact: boolean;
}

type Columns = ReadonlyMap<string, Column>;

/**
 * Running means of one run. If every episode is held, they are computed for each. If the service thinned the
 * episodes, they are the logged means, and computed ones from `complete` on. A run that logs means and no episodes,
 * such as one that was imported, has its logged means.
 */
export class EpisodeMeans {
  private readonly means: readonly Mean[];

  /**
   * `wanted`: the metrics that the run's series holds, null for all. A mean needs both of its metrics. `window`: how
   * many of the last episodes are averaged, which the service says.
   */
  constructor(
    columns: Columns,
    wanted: readonly string[] | null = null,
    { before, window = Infinity }: { before?: EpisodesBefore | null; window?: number } = {},
  ) {
    this.means = Object.entries(SOURCES)
      .filter(([, { of, logged }]) => !wanted || (wanted.includes(of) && wanted.includes(logged)))
      .map(([name, source]) =>
        meanOf({ name, source, columns, window, before: before?.[source.before] ?? [] }),
      );
  }

  column(name: string): Column | undefined {
    return this.means.find((mean) => mean.name === name)?.column;
  }

  /** Adds a row. */
  append(x: number, values: Readonly<Record<string, number | null>>) {
    for (const mean of this.means) {
      const value = values[mean.source.of];
      if (value === undefined) {
        const logged = values[mean.source.logged];
        const hasEpisodes = mean.recent.size > 0 || !mean.isExact;
        if (!hasEpisodes && logged !== undefined) mean.column.push(x, logged);
        continue;
      }
      mean.recent.push(value ?? Number.NaN);
      mean.isExact ||= mean.recent.isFull;
      if (mean.isExact) mean.column.push(x, mean.recent.value);
    }
  }

  /** Whether the newest episodes were thinned away. */
  get lackNewest(): boolean {
    return this.means.some(({ isExact }) => !isExact);
  }

  /** Adds the newest episodes. `columns` are those that the run was loaded with. */
  complete(newest: Columns, columns: Columns) {
    for (const mean of this.means) {
      const values = newest.get(mean.source.of);
      const ended = columns.get(mean.source.of);
      if (mean.isExact || !values || !ended) continue;
      mean.recent.prepend([...values.y.subarray(0, values.length)]);
      mean.isExact = true;
      mean.column.push(ended.x[ended.length - 1] ?? 0, mean.recent.value);
    }
  }

  /** The means within a window, from the columns that the service returned for it. */
  within(columns: Columns): [name: string, column: Column][] {
    return this.means.flatMap(({ name, source, column }) => {
      const logged = columns.get(source.logged);
      return column.isThinned && logged ? [[name, logged] as [string, Column]] : [];
    });
  }
}

interface MeanStart {
  name: string;
  source: MeanSource;
  columns: Columns;
  window: number;
  before: readonly (number | null)[];
}

function meanOf({ name, source, columns, window, before }: MeanStart): Mean {
  const episodes = columns.get(source.of);
  const recent = new RecentMean(window);
  if (!episodes?.isThinned) recent.prepend(before.map((value) => value ?? Number.NaN));
  const mean = { name, source, column: new Column(), recent, isExact: true };
  const logged = columns.get(source.logged);
  if (!episodes) {
    if (logged) holdBefore(Infinity, logged, mean.column);
    return mean;
  }
  if (!episodes.isThinned) {
    for (let i = 0; i < episodes.length; i += 1) {
      mean.recent.push(episodes.y[i]!);
      mean.column.push(episodes.x[i]!, mean.recent.value);
    }
    return mean;
  }
  if (logged) holdBefore(episodes.x[episodes.length - 1] ?? 0, logged, mean.column);
  mean.column.count = episodes.count - 1; // the newest follows when all of the last episodes are loaded
  return { ...mean, isExact: false };
}

/** Copies what was logged before the position `end`. */
function holdBefore(end: number, logged: Column, column: Column) {
  for (let i = 0; i < logged.length && logged.x[i]! < end; i += 1) {
    column.push(logged.x[i]!, logged.y[i]!);
  }
}
