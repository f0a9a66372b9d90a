import type { AxisWindow } from "@/stream/series/axis";

/** A highlighted part of a curve in the address, in steps: `?chart=train/approx_kl&from=2000&to=4000`. */
export interface Highlight {
  metric: string;
  steps: AxisWindow;
}

export function readHighlight(query: URLSearchParams): Highlight | null {
  const metric = query.get("chart");
  const [from, to] = [query.get("from"), query.get("to")].map((text) =>
    text === null || text === "" ? Number.NaN : Number(text),
  ) as [number, number];
  if (!metric || !(from <= to)) return null;
  return { metric, steps: [from, to] };
}

/** Null removes it. */
export function writeHighlight(query: URLSearchParams, highlight: Highlight | null) {
  for (const name of ["chart", "from", "to"]) query.delete(name);
  if (!highlight) return;
  query.set("chart", highlight.metric);
  query.set("from", String(highlight.steps[0]));
  query.set("to", String(highlight.steps[1]));
}
