import { Listeners } from "@/lib/store";
import type { MetricAxis } from "@/lib/stream";
import type { ChartSource, ReadonlyColumn } from "../prepare/model";

const NOTHING = new Float64Array();

/** Columns over one axis as the service has made them, replaced as a whole. They are not smoothed. */
export class HeldSource implements ChartSource {
  revision = 0;
  axis: MetricAxis = "step";
  private columns = new Map<string, ReadonlyColumn>();
  private readonly listeners = new Listeners();

  readonly subscribe = this.listeners.subscribe;

  column(metric: string): ReadonlyColumn {
    return this.columns.get(metric) ?? this.held(NOTHING, NOTHING);
  }

  /** `columns`: values over `x` by name; null where there is none. */
  load(
    axis: MetricAxis,
    x: readonly number[],
    columns: Readonly<Record<string, readonly (number | null)[]>>,
  ) {
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

  private held(x: Float64Array, y: Float64Array): ReadonlyColumn {
    return { x, y, smoothed: y, length: x.length, count: x.length, version: this.revision };
  }
}
