import { AXES, type MetricAxis } from "@/lib/stream";

/** The settings that all charts of a page share, and that its address can carry. */
export interface ChartSettings {
  smoothing: number;
  axis: MetricAxis;
  log: boolean;
  /** Leave the most extreme points outside the range. */
  outliers: boolean;
}

export const DEFAULT_CHART_SETTINGS: ChartSettings = {
  smoothing: 0.9,
  axis: "step",
  log: false,
  outliers: false,
};

/** Above this value a curve is practically flat. */
export const MOST_SMOOTHING = 0.99;

const KEYS = { smoothing: "smooth", axis: "x", log: "log", outliers: "outliers" } as const;

/** A value that is not valid is read as the default. */
export function readChartSettings(query: URLSearchParams): ChartSettings {
  const smoothing = Number.parseFloat(query.get(KEYS.smoothing) ?? "");
  const axis = AXES.find((name) => name === query.get(KEYS.axis));
  return {
    smoothing: Number.isFinite(smoothing)
      ? Math.min(MOST_SMOOTHING, Math.max(0, smoothing))
      : DEFAULT_CHART_SETTINGS.smoothing,
    axis: axis ?? DEFAULT_CHART_SETTINGS.axis,
    log: query.get(KEYS.log) === "1",
    outliers: query.get(KEYS.outliers) === "1",
  };
}

/** Writes the settings into `query`. Defaults are left out. */
export function writeChartSettings(query: URLSearchParams, settings: ChartSettings) {
  const put = (key: string, value: string, plain: boolean) =>
    plain ? query.delete(key) : query.set(key, value);
  put(
    KEYS.smoothing,
    String(settings.smoothing),
    settings.smoothing === DEFAULT_CHART_SETTINGS.smoothing,
  );
  put(KEYS.axis, settings.axis, settings.axis === DEFAULT_CHART_SETTINGS.axis);
  put(KEYS.log, "1", !settings.log);
  put(KEYS.outliers, "1", !settings.outliers);
}
