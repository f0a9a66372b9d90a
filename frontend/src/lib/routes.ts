export const routes = {
  home: "/",
  compare: "/compare",
  explain: "/explain",
  /** The help text on saliency. */
  explainSaliency: "/explain#saliency",
  trash: "/trash",
  settings: "/settings",
  /** The storage page. */
  storage: "/storage",
  newRun: "/?new",
  /** The new-run form with this environment. */
  newRunOn: (environment: string) => `/?new=${encodeURIComponent(environment)}`,
  /** The new-run form filled in from a run. */
  duplicate: (id: string) => `/?duplicate=${encodeURIComponent(id)}`,
  compareRuns: (ids: readonly string[]) => `/compare?runs=${ids.map(encodeURIComponent).join(",")}`,
  /** The guide to one algorithm. */
  guide: (algorithm: string) => `/explain?algo=${encodeURIComponent(algorithm)}`,
  /** The guides, with hints for one run. */
  explainRun: (id: string) => `/explain?run=${encodeURIComponent(id)}`,
  /** The list of environments to play. */
  play: "/play",
  /** Play an environment by keyboard. */
  playOn: (environment: string) => `/play?env=${encodeURIComponent(environment)}`,
  /** Play a run's environment by keyboard, taking turns with its policy. */
  playRun: (id: string) => `/play?run=${encodeURIComponent(id)}`,
  /** The same, where each episode begins in a cell of the run's map. */
  playFromCell: (id: string, cell: number) => `/play?run=${encodeURIComponent(id)}&cell=${cell}`,
  /** The Game Boy games of the user that can be described. */
  describeGames: "/play/game",
  /** Describe a Game Boy game of the user's, by the name of its folder. */
  describeGame: (name: string) => `/play/game?rom=${encodeURIComponent(name)}`,
  analyse: "/analyse",
  experiments: "/experiments",
  /** The form of an experiment that compares a run with and without its exploration. */
  compareExploration: (run: string) => `/experiments?explored=${encodeURIComponent(run)}`,
  /** The trials and results of an experiment. */
  experiment: (id: string) => `/experiments/view?id=${encodeURIComponent(id)}`,
  run: (id: string) => `/runs/view?id=${encodeURIComponent(id)}`,
  /** A run's page with the live view of its agent. */
  watchRun: (id: string) => `/runs/view?id=${encodeURIComponent(id)}&view=live`,
  /** A run's page with an evaluation that plays from a frame of its video. */
  runEvaluation: (id: string, evaluation: string, frame: number) =>
    `/runs/view?${new URLSearchParams({ id, view: "evaluation", evaluation, frame: String(frame) })}`,
  /** A run's page at one of its charts with a part of the axis highlighted. */
  runChart: (id: string, metric: string, from: number, to: number) =>
    `/runs/view?${new URLSearchParams({ id, chart: metric, from: String(from), to: String(to) })}`,
};

/** The format of run ids; anything else is never sent to the service. */
const RUN_ID = /^[a-z0-9][a-z0-9-]{0,127}$/;

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}
