import { Listeners } from "@/lib/store";
import type { MetricAxis } from "@/stream/series/axis";
import type { ChartSource, ReadonlyColumn } from "./prepare/model";

const NOTHING = new Float64Array();

type Values = readonly (number | null)[];

/** Columns over one axis as computed by the service. They are replaced together and not smoothed. */
export class HeldSource implements ChartSource {
  revision = 0;
  axis: MetricAxis = "step";
  private columns = new Map<string, ReadonlyColumn>();
  private readonly listeners = new Listeners();

  readonly subscribe = this.listeners.subscribe;

  column(metric: string): ReadonlyColumn {
    return this.columns.get(metric) ?? this.held(NOTHING, NOTHING);
  }

  /** `columns`: values over `x` by name; null for gaps. */
  load(axis: MetricAxis, x: readonly number[], columns: Readonly<Record<string, Values>>) {
    this.axis = axis;
    this.revision += 1;
    const positions = Float64Array.from(x);
    this.columns = new Map(
      Object.entries(columns).map(([name, values]) => [
        name,
        this.held(
          positions,
          Float64Array.from(values, (value) => value ?? Number.NaN),
        ),
      ]),
    );
    this.listeners.notify();
  }

  /**
   * One of several curves over a common grid: `iqm` and its other columns. It ends with its own last value, because
   * otherwise its newest value would be the gap up to the end of the longest curve.
   */
  loadCurve(
    axis: MetricAxis,
    grid: readonly number[],
    columns: { iqm: Values; [name: string]: Values },
  ) {
    const end = columns.iqm.findLastIndex((value) => value !== null) + 1;
    const cut = Object.entries(columns).map(([name, values]) => [name, values.slice(0, end)]);
    this.load(axis, grid.slice(0, end), Object.fromEntries(cut));
  }

  private held(x: Float64Array, y: Float64Array): ReadonlyColumn {
    return { x, y, smoothed: y, length: x.length, count: x.length, version: this.revision };
  }
}
