/** What the page shows, as its address says it. */
export interface View {
  run: string | null;
  algo: string | null;
}

export function readView(query: URLSearchParams): View {
  return { run: query.get("run") || null, algo: query.get("algo") || null };
}

export function writeView({ run, algo }: View): string {
  const query = new URLSearchParams();
  if (run) query.set("run", run);
  if (algo) query.set("algo", algo);
  const search = query.toString();
  return search === "" ? "" : `?${search}`;
}
