import { isRunId } from "./routes";

/** What the comparison page shows; all of it is in the address, so that it can be shared. */
export interface ComparisonAddress {
  runs: readonly string[];
  /** The return to reach; null leaves it to the environment. */
  threshold: number | null;
  /** The metric that is drawn; null: the return. */
  metric: string | null;
  /** What gives runs their colour; null leaves it to the page. */
  color: ColorBy | null;
}

/** What runs can share a colour by; by `run` each has its own. */
export const COLOR_BY = ["run", "env_id", "algo", "preset"] as const;
export type ColorBy = (typeof COLOR_BY)[number];

/** `most`: as many runs as the service compares at once; those beyond are left out. */
export function readComparison(query: URLSearchParams, most = Infinity): ComparisonAddress {
  const ids = (query.get("runs") ?? "").split(",").map((id) => id.trim());
  const text = query.get("threshold")?.trim() ?? "";
  const threshold = text === "" ? Number.NaN : Number(text);
  return {
    runs: [...new Set(ids.filter(isRunId))].slice(0, most),
    threshold: Number.isFinite(threshold) ? threshold : null,
    metric: query.get("metric") || null,
    color: COLOR_BY.find((by) => by === query.get("color")) ?? null,
  };
}

/** Other parts of the address (how the curves are drawn) stay as they are in `query`. */
export function writeComparison(
  query: URLSearchParams,
  { runs, threshold, metric, color }: ComparisonAddress,
): string {
  const next = new URLSearchParams(query);
  for (const name of ["runs", "threshold", "metric", "color"]) next.delete(name);
  if (metric !== null) next.set("metric", metric);
  if (color !== null) next.set("color", color);
  if (threshold !== null) next.set("threshold", String(threshold));
  const parts = [runs.length > 0 && `runs=${runs.join(",")}`, next.toString()];
  const search = parts.filter(Boolean).join("&");
  return search === "" ? "" : `?${search}`;
}
