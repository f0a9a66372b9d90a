import type { MetricCurves, MetricRow } from "@/api/types";
import { createStore, Listeners, type ReadableStore } from "../../store";
import { AXES, type AxisWindow, covers, type MetricAxis, SERVICE_AXES, width } from "./axis";
import { Column } from "./column";
import { EpisodeMeans } from "./episode-means";
import { TrainingClock } from "./training-clock";

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
