import { Column } from "./column";
import { MEAN_EPISODES, RecentMean } from "./recent-mean";

/** Mean return and mean length of the last 100 episodes: columns that nobody logs. */
export const MEAN_RETURN = "mean/return";
export const MEAN_LENGTH = "mean/length";

interface MeanSource {
  /** The metric that it is the mean of. */
  of: string;
  /** The library's own mean, which is the same at the rows that it is logged with. */
  logged: string;
}

const SOURCES: Record<string, MeanSource> = {
  [MEAN_RETURN]: { of: "episode/reward", logged: "rollout/ep_rew_mean" },
  [MEAN_LENGTH]: { of: "episode/length", logged: "rollout/ep_len_mean" },
};

/** The mean that is computed in the place of a logged one, and the metric that it needs besides; null for others. */
export function episodeMeanOf(logged: string): { name: string; of: string } | null {
  const found = Object.entries(SOURCES).find(([, source]) => source.logged === logged);
  return found ? { name: found[0], of: found[1].of } : null;
}

interface Mean {
  name: string;
  source: MeanSource;
  column: Column;
  recent: RecentMean;
  /** Whether `recent` has the newest episodes without a gap. */
  isExact: boolean;
}

type Columns = ReadonlyMap<string, Column>;

/**
 * The running means of one run. Where every episode is held they are computed for each; where the service thinned
 * the episodes they are the logged ones, and exact from `complete` on.
 */
export class EpisodeMeans {
  private readonly means: readonly Mean[];

  /** `wanted`: the metrics that the run's series holds, null for all. A mean needs both of its own. */
  constructor(columns: Columns, wanted: readonly string[] | null = null) {
    this.means = Object.entries(SOURCES)
      .filter(([, { of, logged }]) => !wanted || (wanted.includes(of) && wanted.includes(logged)))
      .map(([name, source]) => meanOf(name, source, columns));
  }

  column(name: string): Column | undefined {
    return this.means.find((mean) => mean.name === name)?.column;
  }

  /** Takes in a row. */
  append(x: number, values: Readonly<Record<string, number | null>>) {
    for (const mean of this.means) {
      const value = values[mean.source.of];
      if (value === undefined) continue;
      mean.recent.push(value ?? Number.NaN);
      mean.isExact ||= mean.recent.size === MEAN_EPISODES;
      if (mean.isExact) mean.column.push(x, mean.recent.value);
    }
  }

  /** Whether the newest episodes are among those that were left out. */
  get lackNewest(): boolean {
    return this.means.some(({ isExact }) => !isExact);
  }

  /** The newest episodes as of when the run was loaded. `columns` are those that the run was loaded with. */
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

  /** The same means within a window, of the columns that the service answered for it. */
  within(columns: Columns): [name: string, column: Column][] {
    return this.means.flatMap(({ name, source, column }) => {
      const logged = columns.get(source.logged);
      return column.isThinned && logged ? [[name, logged] as [string, Column]] : [];
    });
  }
}

function meanOf(name: string, source: MeanSource, columns: Columns): Mean {
  const episodes = columns.get(source.of);
  const mean = { name, source, column: new Column(), recent: new RecentMean(), isExact: true };
  if (!episodes) return mean;
  if (!episodes.isThinned) {
    for (let i = 0; i < episodes.length; i += 1) {
      mean.recent.push(episodes.y[i]!);
      mean.column.push(episodes.x[i]!, mean.recent.value);
    }
    return mean;
  }
  const last = episodes.x[episodes.length - 1] ?? 0;
  const logged = columns.get(source.logged);
  for (let i = 0; i < (logged?.length ?? 0) && logged!.x[i]! < last; i += 1) {
    mean.column.push(logged!.x[i]!, logged!.y[i]!);
  }
  mean.column.count = episodes.count - 1; // that of the newest episode comes when all of the last are known
  return { ...mean, isExact: false };
}
