/** All query keys, in one place so that stream events can find the queries that they change. */
export const keys = {
  runs: ["runs"] as const,
  runList: (filter: object) => ["runs", filter] as const,
  queue: ["runs", { queue: true }, 0] as const,
  /** Key of the mutations that move a run in the queue. */
  queueMoves: ["queue-moves"] as const,
  runPage: (filter: object, page: number) => ["runs", filter, page] as const,
  namedRuns: ["runs", "named"] as const,
  runsById: (ids: readonly string[]) => ["runs", "named", ids] as const,
  runsOfGroups: (ids: readonly string[]) => ["runs", "named", "group", ...ids] as const,
  experiments: ["experiments"] as const,
  recentExperiments: ["experiments", "recent"] as const,
  memoryNeeded: (body: unknown) => ["memory-needed", body] as const,
  experimentEstimate: (specification: unknown) => ["experiment-estimate", specification] as const,
  experiment: (id: string) => ["experiment", id] as const,
  experimentSearch: (id: string) => ["experiment", id, "search"] as const,
  experimentResults: (id: string, score: string, threshold: number | null) =>
    ["experiment", id, "results", score, threshold] as const,
  analytics: (what: string, question?: unknown) => ["analytics", what, question] as const,
  tags: ["tags"] as const,
  trash: ["trash"] as const,
  storage: ["storage"] as const,
  settings: ["settings"] as const,
  run: (id: string) => ["run", id] as const,
  opening: (id: string) => ["opening", id] as const,
  runSearch: (text: string, limit: number) => ["run-search", text, limit] as const,
  meanReturns: (ids: readonly string[]) => ["comparison", "mean-returns", ...ids] as const,
  comparison: (ids: readonly string[], threshold: number | null) =>
    ["comparison", ids, threshold] as const,
  seedCurves: (ids: readonly string[], x: string, metrics: readonly string[]) =>
    ["comparison", ids, "seeds", x, ...metrics] as const,
  events: (id: string) => ["run", id, "events"] as const,
  metricCurve: (id: string, name: string, x?: string) => ["run", id, "metric", name, x] as const,
  family: (id: string) => ["run", id, "family"] as const,
  past: (id: string) => ["run", id, "past"] as const,
  anatomy: (id: string) => ["run", id, "anatomy"] as const,
  map: (id: string) => ["run", id, "map"] as const,
  drift: (id: string) => ["run", id, "drift"] as const,
  hints: (id: string) => ["run", id, "hints"] as const,
  hintTest: (id: string, kind: string, change: string | null) =>
    ["run", id, "hint-test", kind, change] as const,
  tail: (id: string, path: string) => ["run", id, "tail", path] as const,
  table: (id: string) => ["run", id, "q-table"] as const,
  steps: (id: string, evaluation: string, search: object) =>
    ["run", id, "steps", evaluation, search] as const,
  verification: (id: string, evaluation: string) => ["run", id, "verify", evaluation] as const,
  evaluations: (id: string) => ["run", id, "evaluations"] as const,
  snapshots: (id: string) => ["run", id, "snapshots"] as const,
  knobs: (id: string) => ["run", id, "knobs"] as const,
  trust: (id: string) => ["run", id, "trust"] as const,
  runSinks: (id: string) => ["run", id, "sinks"] as const,
  rules: (id: string) => ["run", id, "rules"] as const,
  snapshotVerification: (id: string, name: string) => ["run", id, "snapshots", name] as const,
  forkChanges: (id: string) => ["run", id, "fork"] as const,
  policies: (id: string) => ["film", id, "policies"] as const,
  clips: (id: string) => ["film", id, "clips"] as const,
  reportFilm: (id: string) => ["film", id, "report"] as const,
  pictureStrip: (id: string, whose: string, strip: number) =>
    ["film", id, "pictures", whose, strip] as const,
  saliency: (id: string, evaluation: string, step: object) =>
    ["film", id, "saliency", evaluation, step] as const,
  otherActions: (id: string, step: object) => ["film", id, "other-actions", step] as const,
  future: (id: string, wanted: object) => ["film", id, "future", wanted] as const,
  valueSlice: (id: string, wanted: object) => ["film", id, "slice", wanted] as const,
  clipSteps: (id: string, clip: string, hash: string) => ["film", id, "steps", clip, hash] as const,
  clip: (id: string, wanted: object) => ["film", id, "clip", wanted] as const,
  judgement: (id: string, evaluation: string) => ["run", id, "judgement", evaluation] as const,
  /** Of one run it is out of date with its evaluations; of several, with those of any run. */
  judgedTogether: ["runs together"] as const,
  endings: (ids: readonly string[]) => [...ofRuns(ids), "evaluations", "endings"] as const,
  episodes: (ids: readonly string[], where: string) =>
    [...ofRuns(ids), "evaluations", "episodes", where] as const,
  algorithms: ["algorithms"] as const,
  algorithm: (id: string) => ["algorithms", id] as const,
  environments: ["environments"] as const,
  environment: (id: string) => ["environments", id] as const,
  metricDefinitions: ["metric-definitions"] as const,
  games: ["games"] as const,
  game: (name: string) => ["games", "one", name] as const,
  gameCheck: (name: string, content: unknown) => ["games", "check", name, content] as const,
  sessions: ["sessions"] as const,
  limits: ["limits"] as const,
  health: ["health"] as const,
  offeredSinks: ["sinks"] as const,
};

function ofRuns(ids: readonly string[]) {
  return ids.length === 1
    ? (["run", ids[0]!] as const)
    : ([...keys.judgedTogether, ids.join(",")] as const);
}
