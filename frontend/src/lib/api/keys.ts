/** Query keys, drawn in one place so that stream events can find what they change. */
export const keys = {
  runs: ["runs"] as const,
  runList: (filter: object) => ["runs", filter] as const,
  runPage: (filter: object, page: number) => ["runs", filter, page] as const,
  runsById: (ids: readonly string[]) => ["runs", { id: ids }] as const,
  tags: ["tags"] as const,
  trash: ["trash"] as const,
  run: (id: string) => ["run", id] as const,
  runSearch: (text: string, limit: number) => ["run-search", text, limit] as const,
  comparison: (ids: readonly string[], threshold: number | null) =>
    ["comparison", ids, threshold] as const,
  events: (id: string) => ["run", id, "events"] as const,
  anatomy: (id: string) => ["run", id, "anatomy"] as const,
  hints: (id: string) => ["run", id, "hints"] as const,
  tail: (id: string, path: string) => ["run", id, "tail", path] as const,
  table: (id: string) => ["run", id, "q-table"] as const,
  steps: (id: string, evaluation: string, search: object) =>
    ["run", id, "steps", evaluation, search] as const,
  verification: (id: string, evaluation: string) => ["run", id, "verify", evaluation] as const,
  evaluations: (id: string) => ["run", id, "evaluations"] as const,
  algorithms: ["algorithms"] as const,
  environments: ["environments"] as const,
  metricDefinitions: ["metric-definitions"] as const,
  sessions: ["sessions"] as const,
  limits: ["limits"] as const,
  health: ["health"] as const,
};
