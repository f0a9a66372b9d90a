import { isRunId } from "./routes";

/** What the comparison page shows; all of it is in the address, so that it can be shared. */
export interface ComparisonAddress {
  runs: readonly string[];
  /** The return to reach; null leaves it to the environment. */
  threshold: number | null;
}

/** `most`: as many runs as the service compares at once; those beyond are left out. */
export function readComparison(query: URLSearchParams, most = Infinity): ComparisonAddress {
  const ids = (query.get("runs") ?? "").split(",").map((id) => id.trim());
  const text = query.get("threshold")?.trim() ?? "";
  const threshold = text === "" ? Number.NaN : Number(text);
  return {
    runs: [...new Set(ids.filter(isRunId))].slice(0, most),
    threshold: Number.isFinite(threshold) ? threshold : null,
  };
}

/** Other parts of the address (how the curves are drawn) stay as they are in `query`. */
export function writeComparison(
  query: URLSearchParams,
  { runs, threshold }: ComparisonAddress,
): string {
  const next = new URLSearchParams(query);
  next.delete("runs");
  next.delete("threshold");
  if (threshold !== null) next.set("threshold", String(threshold));
  const parts = [runs.length > 0 && `runs=${runs.join(",")}`, next.toString()];
  const search = parts.filter(Boolean).join("&");
  return search === "" ? "" : `?${search}`;
}
