export const routes = {
  home: "/",
  compare: "/compare",
  explain: "/explain",
  trash: "/trash",
  newRun: "/?new",
  /** The form for a new run, on this environment. */
  newRunOn: (environment: string) => `/?new=${encodeURIComponent(environment)}`,
  /** The form for a new run, filled in from another one. */
  duplicate: (id: string) => `/?duplicate=${encodeURIComponent(id)}`,
  compareRuns: (ids: readonly string[]) => `/compare?runs=${ids.map(encodeURIComponent).join(",")}`,
  /** The guide to one algorithm. */
  guide: (algorithm: string) => `/explain?algo=${encodeURIComponent(algorithm)}`,
  /** The guides, with hints for one run. */
  explainRun: (id: string) => `/explain?run=${encodeURIComponent(id)}`,
  /** What can be played by hand. */
  play: "/play",
  /** An environment, at the keys. */
  playOn: (environment: string) => `/play?env=${encodeURIComponent(environment)}`,
  /** The environment of a run, at the keys, with its policy to take turns with. */
  playRun: (id: string) => `/play?run=${encodeURIComponent(id)}`,
  run: (id: string) => `/runs/view?id=${encodeURIComponent(id)}`,
  /** A run's page at one of its charts, with a stretch of steps marked. */
  runChart: (id: string, metric: string, from: number, to: number) =>
    `/runs/view?${new URLSearchParams({ id, chart: metric, from: String(from), to: String(to) })}`,
};

/** The form every run id has; anything else never reaches the service. */
const RUN_ID = /^[a-z0-9][a-z0-9-]{0,127}$/;

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}
