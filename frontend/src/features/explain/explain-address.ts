import { searchOf } from "@/lib/query-string";

/** What the page's address says to show. */
export interface ExplainAddress {
  run: string | null;
  algo: string | null;
}

export function readExplainAddress(query: URLSearchParams): ExplainAddress {
  return { run: query.get("run") || null, algo: query.get("algo") || null };
}

export function writeExplainAddress({ run, algo }: ExplainAddress): string {
  const query = new URLSearchParams();
  if (run) query.set("run", run);
  if (algo) query.set("algo", algo);
  return searchOf(query);
}
