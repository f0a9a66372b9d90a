export const routes = {
  home: "/",
  compare: "/compare",
  explain: "/explain",
  run: (id: string) => `/runs/view?id=${encodeURIComponent(id)}`,
};

/** The form every run id has; anything else never reaches the service. */
const RUN_ID = /^[a-z0-9][a-z0-9-]{0,127}$/;

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}
