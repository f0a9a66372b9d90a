import type { MetricCurves, MetricRow } from "@/api/types";
import { createStore, Listeners, type ReadableStore } from "@/lib/store";
import { AXES, type AxisWindow, covers, type MetricAxis, SERVICE_AXES, width } from "./axis";
import { Column } from "./column";

/** When one worker trained a run; `ended_at` is null while it trains. */
export interface AttemptTimes {
  started_at: string;
  ended_at: string | null;
}

interface Stretch {
  start: number;
  end: number;
  /** Seconds trained before it. */
  before: number;
}

/**
 * Seconds of training at a time of day, over all attempts of a run: the pauses between them take none. The service
 * counts in the same way. Without any attempt the clock starts with the first time that it is asked for.
 */
export class TrainingClock {
  private readonly stretches: Stretch[] = [];
  private origin: number | null = null;

  constructor(attempts: readonly AttemptTimes[]) {
    let [before, after] = [0, -Infinity];
    for (const { started_at, ended_at } of attempts) {
      const start = Math.max(unix(started_at), after);
      const end = ended_at === null ? Infinity : Math.max(start, unix(ended_at));
      this.stretches.push({ start, end, before });
      before += end - start;
      after = end;
    }
  }

  /** `time` in Unix seconds. */
  at(time: number): number {
    const last = this.stretches.findLast(({ start }) => start <= time);
    if (last) return last.before + Math.min(time, last.end) - last.start;
    if (this.stretches.length > 0) return 0;
    this.origin ??= time;
    return Math.max(0, time - this.origin);
  }
}

function unix(time: string): number {
  return Date.parse(time) / 1000;
}

export const EPISODE = "episode/index";
const NOTHING = new Column();

/** Curves of a run, or of a part of it. */
type SeriesPart = Pick<MetricCurves, "series">;
export type SeriesHistory = SeriesPart &
  Pick<MetricCurves, "mean_episodes"> &
  Partial<Pick<MetricCurves, "before">> & { x?: string };

/** A response for a window, with more points than the curve of the whole run has there. */
interface Detail {
  window: AxisWindow;
  columns: Map<string, Column>;
}

/**
 * The metrics of one run along one axis, kept outside React. `revision` increases with every change, so that
 * readers notice new data without comparing it.
 * `wanted`: the metrics to hold; null for all.
 */
export class RunSeries {
  revision = 0;
  axis: MetricAxis = "step";
  private smoothing = 0;
  private columns = new Map<string, Column>();
  private means: EpisodeMeans;
  private detail: Detail | null = null;
  private readonly listeners = new Listeners();
  private readonly nameStore = createStore<readonly string[]>([]);
  private clock = new TrainingClock([]);
  /** Number of episodes that had ended at the newest row, for the episode axis. */
  private episodes = 0;

  constructor(readonly wanted: readonly string[] | null = null) {
    this.means = new EpisodeMeans(this.columns, wanted);
  }

  readonly subscribe = this.listeners.subscribe;

  /** Names of metrics in the order in which they were first seen. */
  readonly names: ReadableStore<readonly string[]> = this.nameStore;

  /** A metric over the whole run, or within `window` with more detail if it was loaded. */
  column(name: string, window: AxisWindow | null = null): Column {
    const fine = window && this.detailFor(window)?.columns.get(name);
    return fine || this.columns.get(name) || this.means.column(name) || NOTHING;
  }

  /** Replaces all data with a response. `clock` places live rows in time; `smoothing` is what was requested. */
  load(history: SeriesHistory, clock = this.clock, smoothing = this.smoothing) {
    this.axis = AXES.find((axis) => SERVICE_AXES[axis] === history.x) ?? "step";
    this.clock = clock;
    this.detail = null;
    this.columns = this.columnsOf(history, smoothing);
    const { before, mean_episodes: window } = history;
    this.means = new EpisodeMeans(this.columns, this.wanted, { before, window });
    this.nameStore.set([...this.columns.keys()]);
    this.episodes = this.axis === "episode" ? newestPosition(history) : 0;
    this.changed();
  }

  /**
   * Sets the smoothing of every metric: exact if every point is held, otherwise approximate until it is
   * loaded.
   */
  setSmoothing(smoothing: number) {
    if (smoothing === this.smoothing) return;
    this.smoothing = smoothing;
    for (const column of this.columns.values()) column.smooth(smoothing);
    // Detail begins in the middle of the run, so only the service can average it.
    this.detail = null;
    this.changed();
  }

  /** Whether an average is approximate because the service left points out. */
  get lacksSmoothing(): boolean {
    return [...this.columns.values()].some((column) => !column.isSmoothedExactly);
  }

  append(rows: readonly MetricRow[]) {
    for (const row of rows) {
      const x = this.positionOf(row);
      for (const name in row.values) {
        if (!this.wants(name)) continue;
        const value = row.values[name] ?? null;
        this.open(name).push(x, value);
        if (this.detail && x <= this.detail.window[1])
          this.detail.columns.get(name)?.push(x, value);
      }
      this.means.append(x, row.values);
    }
    this.changed();
  }

  /** Whether points within the window were thinned away that the service still has. */
  lacksDetail(window: AxisWindow): boolean {
    const detail = this.detailFor(window);
    // Detail of a much wider window has too few points within this one.
    if (detail && width(detail.window) <= 4 * width(window)) return false;
    return [...this.columns.values()].some((column) => column.isThinned);
  }

  loadDetail(window: AxisWindow, history: SeriesPart) {
    const columns = this.columnsOf(history, this.smoothing);
    for (const [name, column] of columns) this.topUp(column, name, window);
    for (const [name, column] of this.means.within(columns)) columns.set(name, column);
    this.detail = { window, columns };
    this.changed();
  }

  /** Whether the running means lack the newest episodes because the service thinned them. */
  get lacksNewest(): boolean {
    return this.means.lackNewest;
  }

  loadNewest(history: SeriesPart) {
    this.means.complete(this.columnsOf(history, 0), this.columns);
    this.changed();
  }

  /** Adds the rows that arrived while the response was under way. */
  private topUp(column: Column, name: string, window: AxisWindow) {
    const { x, y, length } = this.column(name);
    const last = column.length > 0 ? column.x[column.length - 1]! : -Infinity;
    let first = length;
    while (first > 0 && x[first - 1]! > last) first -= 1;
    for (let i = first; i < length && x[i]! <= window[1]; i += 1) column.push(x[i]!, y[i]!);
  }

  /** `smoothing`: what was requested. */
  private columnsOf({ series }: SeriesPart, smoothing: number): Map<string, Column> {
    const columns = new Map<string, Column>();
    for (const [name, curve] of Object.entries(series)) {
      if (!this.wants(name)) continue;
      const column = Column.of(curve, smoothing);
      column.smooth(this.smoothing);
      columns.set(name, column);
    }
    return columns;
  }

  private positionOf({ step, time, values }: MetricRow): number {
    const index = values[EPISODE];
    if (typeof index === "number") this.episodes = index;
    if (this.axis === "step") return step;
    if (this.axis === "episode") return this.episodes;
    return this.clock.at(time);
  }

  private open(name: string): Column {
    let column = this.columns.get(name);
    if (!column) {
      column = new Column({ smoothing: this.smoothing });
      this.columns.set(name, column);
      this.nameStore.set([...this.columns.keys()]);
    }
    return column;
  }

  private detailFor(window: AxisWindow): Detail | null {
    return this.detail && covers(this.detail.window, window) ? this.detail : null;
  }

  private wants(name: string): boolean {
    return this.wanted === null || this.wanted.includes(name);
  }

  private changed() {
    this.revision += 1;
    this.listeners.notify();
  }
}

function newestPosition({ series }: SeriesPart): number {
  return Math.max(0, ...Object.values(series).map(({ x }) => x.at(-1) ?? 0));
}

/** Mean return and mean length of the last episodes: columns that are computed here, not logged. */
export const MEAN_RETURN = "mean/return";
export const MEAN_LENGTH = "mean/length";

/** The last episodes before a fork, from which its means go on. */
export type EpisodesBefore = NonNullable<MetricCurves["before"]>;

interface MeanSource {
  /** The averaged metric. */
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
class EpisodeMeans {
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

  /** Adds the newest episodes. `columns` are the ones that the run was loaded with. */
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

/** Mean of the newest `window` values, or of all while there are fewer. NaN while one of them is unknown. */
class RecentMean {
  private newest: number[] = [];

  constructor(private readonly window: number) {}

  get size(): number {
    return this.newest.length;
  }

  get isFull(): boolean {
    return this.newest.length === this.window;
  }

  push(value: number) {
    this.newest.push(value);
    if (this.newest.length > this.window) this.newest.shift();
  }

  /** Adds values that precede all others. */
  prepend(values: readonly number[]) {
    this.newest = [...values, ...this.newest].slice(-this.window);
  }

  /** Summed from the oldest on, as the service does, so that both get the same floating-point result. */
  get value(): number {
    return this.newest.reduce((sum, value) => sum + value, 0) / this.newest.length;
  }
}
