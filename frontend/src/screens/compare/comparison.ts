import { isRunId } from "@/lib/routes";

/** State of the comparison page, all of which is in its address so that it can be shared. */
export interface ComparisonAddress {
  runs: readonly string[];
  /** The return to reach; null: the environment's threshold. */
  threshold: number | null;
  /** The metric to draw; null: the return. */
  metric: string | null;
  /** What determines a run's colour; null: the page decides. */
  color: ColorBy | null;
  /** Whether each seed of a group has a curve of its own, and not the group one. */
  apart: boolean;
}

/** What a run's colour can be determined by; with `run`, each run has its own. */
export const COLOR_BY = ["run", "env_id", "algo", "preset"] as const;
export type ColorBy = (typeof COLOR_BY)[number];

/** Reads the address. `most`: how many runs the service compares at once; others are left out. */
export function readComparison(query: URLSearchParams, most = Infinity): ComparisonAddress {
  const ids = (query.get("runs") ?? "").split(",").map((id) => id.trim());
  const text = query.get("threshold")?.trim() ?? "";
  const threshold = text === "" ? Number.NaN : Number(text);
  return {
    runs: [...new Set(ids.filter(isRunId))].slice(0, most),
    threshold: Number.isFinite(threshold) ? threshold : null,
    metric: query.get("metric") || null,
    color: COLOR_BY.find((by) => by === query.get("color")) ?? null,
    apart: query.get("seeds") === "apart",
  };
}

/** Writes into `query`, whose other parts (chart settings) stay. */
export function writeComparison(
  query: URLSearchParams,
  { runs, threshold, metric, color, apart }: ComparisonAddress,
): string {
  const next = new URLSearchParams(query);
  for (const name of ["runs", "threshold", "metric", "color", "seeds"]) next.delete(name);
  if (metric !== null) next.set("metric", metric);
  if (color !== null) next.set("color", color);
  if (apart) next.set("seeds", "apart");
  if (threshold !== null) next.set("threshold", String(threshold));
  const parts = [runs.length > 0 && `runs=${runs.join(",")}`, next.toString()];
  const search = parts.filter(Boolean).join("&");
  return search === "" ? "" : `?${search}`;
}
