import { isRunId } from "@/lib/routes";

/** State of the comparison page. All of it is in the address, so that it can be shared. */
export interface ComparisonAddress {
  /** Null: the address names no runs, and the page chooses two. */
  runs: readonly string[] | null;
  /** The return to reach; null: the environment's threshold. */
  threshold: number | null;
  /** The metrics to draw, in this order; null: the metrics that all runs share. */
  metrics: readonly string[] | null;
  /** What determines a run's colour; null: the page decides. */
  color: ColorBy | null;
  /** Whether each seed of a group has its own curve instead of one curve for the group. */
  apart: boolean;
  /** Ids of the series that are switched off: of runs, or `group` and the id of a group. */
  hidden: readonly string[];
  /** Charts beside each other on a wide screen; null: the page decides. */
  columns: Columns | null;
  /** How policies are shown. */
  policies: PoliciesView;
}

/** Properties that can determine a run's colour; with `run`, each run has its own colour. */
export const COLOR_BY = ["run", "env_id", "algo", "preset"] as const;
export type ColorBy = (typeof COLOR_BY)[number];

export const COLUMNS = [1, 2, 3] as const;
export type Columns = (typeof COLUMNS)[number];

export const POLICIES_VIEWS = ["videos", "race", "live", "step", "return"] as const;
export type PoliciesView = (typeof POLICIES_VIEWS)[number];

const NAMES = [
  ...["runs", "threshold", "metric", "metrics", "color", "seeds", "hidden", "columns", "policies"],
];

/** Reads the address. `most`: how many runs the service compares at once; others are left out. */
export function readComparison(query: URLSearchParams, most = Infinity): ComparisonAddress {
  const text = query.get("threshold")?.trim() ?? "";
  const threshold = text === "" ? Number.NaN : Number(text);
  // Older addresses name a single metric.
  const metrics = listOf(query.get("metrics") ?? query.get("metric"));
  const runs = query.get("runs");
  return {
    runs: runs === null ? null : listOf(runs).filter(isRunId).slice(0, most),
    threshold: Number.isFinite(threshold) ? threshold : null,
    metrics: metrics.length > 0 ? metrics : null,
    color: COLOR_BY.find((by) => by === query.get("color")) ?? null,
    apart: query.get("seeds") === "apart",
    hidden: listOf(query.get("hidden")),
    columns: COLUMNS.find((count) => String(count) === query.get("columns")) ?? null,
    policies: POLICIES_VIEWS.find((view) => view === query.get("policies")) ?? "videos",
  };
}

function listOf(text: string | null): string[] {
  const parts = (text ?? "").split(",").map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}

/** Writes into `query`, whose other parts (chart settings) stay. */
export function writeComparison(
  query: URLSearchParams,
  { runs, threshold, metrics, color, apart, hidden, columns, policies }: ComparisonAddress,
): string {
  const next = new URLSearchParams(query);
  for (const name of NAMES) next.delete(name);
  if (color !== null) next.set("color", color);
  if (apart) next.set("seeds", "apart");
  if (threshold !== null) next.set("threshold", String(threshold));
  if (columns !== null) next.set("columns", String(columns));
  if (policies !== "videos") next.set("policies", policies);
  const parts = [
    runs !== null && `runs=${runs.join(",")}`,
    metrics !== null && `metrics=${metrics.map(encoded).join(",")}`,
    hidden.length > 0 && `hidden=${hidden.map(encoded).join(",")}`,
    next.toString(),
  ];
  const search = parts.filter(Boolean).join("&");
  return search === "" ? "" : `?${search}`;
}

/** Names of metrics contain slashes, which a query string allows unescaped. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll("%2F", "/").replaceAll("%3A", ":");
}
