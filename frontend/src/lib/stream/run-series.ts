import type { MetricCurves, MetricRow } from "@/lib/api";
import { Column } from "./column";
import { Listeners } from "./listeners";

/**
 * The metrics of one run, kept beside React. `revision` grows with every change, so that readers can
 * tell new data from old without comparing it.
 */
export class RunSeries {
  revision = 0;
  private readonly columns = new Map<string, Column>();
  private readonly listeners = new Listeners<[]>();

  constructor(readonly names: readonly string[]) {
    this.clear();
  }

  readonly subscribe = this.listeners.add;

  column(name: string): Column {
    return this.columns.get(name) ?? new Column();
  }

  /** Replaces everything with what the service answered. */
  load(history: Pick<MetricCurves, "series">) {
    this.clear();
    for (const [name, { x, y }] of Object.entries(history.series)) {
      const column = this.columns.get(name);
      if (!column) continue;
      x.forEach((step, i) => column.push(step, y[i] ?? null));
    }
    this.changed();
  }

  append(rows: readonly MetricRow[]) {
    for (const { step, values } of rows) {
      for (const name in values) this.columns.get(name)?.push(step, values[name] ?? null);
    }
    this.changed();
  }

  private clear() {
    for (const name of this.names) this.columns.set(name, new Column());
  }

  private changed() {
    this.revision += 1;
    this.listeners.tell();
  }
}
