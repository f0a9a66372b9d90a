import { AXES, type MetricAxis } from "@/lib/stream";

/** How all charts of a page are looked at; what can be shared in an address. */
export interface ChartView {
  smoothing: number;
  axis: MetricAxis;
  log: boolean;
  /** Leave the most extreme points outside the range. */
  outliers: boolean;
}

export const DEFAULT_VIEW: ChartView = {
  smoothing: 0.9,
  axis: "step",
  log: false,
  outliers: false,
};

/** Beyond this a curve hardly moves at all. */
export const MOST_SMOOTHING = 0.99;

const KEYS = { smoothing: "smooth", axis: "x", log: "log", outliers: "outliers" } as const;

/** What makes no sense is read as the default. */
export function readView(query: URLSearchParams): ChartView {
  const smoothing = Number.parseFloat(query.get(KEYS.smoothing) ?? "");
  const axis = AXES.find((name) => name === query.get(KEYS.axis));
  return {
    smoothing: Number.isFinite(smoothing)
      ? Math.min(MOST_SMOOTHING, Math.max(0, smoothing))
      : DEFAULT_VIEW.smoothing,
    axis: axis ?? DEFAULT_VIEW.axis,
    log: query.get(KEYS.log) === "1",
    outliers: query.get(KEYS.outliers) === "1",
  };
}

/** Writes the view into `query`; defaults leave no trace. */
export function writeView(query: URLSearchParams, view: ChartView) {
  const put = (key: string, value: string, plain: boolean) =>
    plain ? query.delete(key) : query.set(key, value);
  put(KEYS.smoothing, String(view.smoothing), view.smoothing === DEFAULT_VIEW.smoothing);
  put(KEYS.axis, view.axis, view.axis === DEFAULT_VIEW.axis);
  put(KEYS.log, "1", !view.log);
  put(KEYS.outliers, "1", !view.outliers);
}
