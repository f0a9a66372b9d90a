import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { Experiment, RunHints } from "./types";

/** What a test of a hint would train. `change`: the hyperparameter; null: the one that the service suggests. */
export function hintTestPlanQuery(runId: string, kind: string, change: string | null) {
  return queryOptions({
    queryKey: keys.hintTest(runId, kind, change),
    queryFn: ({ signal }) =>
      unwrap(
        http.GET("/runs/{run_id}/hints/{kind}/test", {
          params: { path: { run_id: runId, kind }, query: { change } },
          signal,
        }),
      ),
    retry: false,
    staleTime: 0,
  });
}

/** Start the experiment that tests a hint. */
export function startHintTest(runId: string, kind: string, change: string): Promise<Experiment> {
  return unwrap(
    http.POST("/runs/{run_id}/hints/{kind}/test", {
      params: { path: { run_id: runId, kind } },
      body: { change },
    }),
  );
}

/** Milliseconds between requests for hints while a test of one of them runs. */
const WHILE_TESTED = 3_000;

/** How often to request hints again; false: not at all. `live`: the interval if the run trains, else false. */
export function hintsInterval(hints: RunHints | undefined, live: number | false): number | false {
  const isTested = hints?.hints.some((hint) => hint.tests.some(({ state }) => state === "running"));
  return isTested ? WHILE_TESTED : live;
}
