import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import { isActive } from "../run-status";
import type { Comparison } from "../types";

/** The minimum that the service allows; the page loads the curves separately. */
const POINTS = 4;

/** Points of the curves of groups. */
const SEED_CURVE_POINTS = 300;

/**
 * Whether what was answered still grows. What the page knows of the runs may be newer than its curves: those that
 * ended since are to be requested once more.
 */
const trains = (runs: Comparison["runs"]) => runs.some(({ run }) => isActive(run));

/** The curves of the groups among the runs, over `x`; `live` while they grow. */
export function seedCurvesQuery(runIds: readonly string[], x: "step" | "seconds" | "episode") {
  const query = { runs: runIds.join(","), max_points: SEED_CURVE_POINTS, x };
  return queryOptions({
    queryKey: keys.seedCurves(runIds, x),
    queryFn: async ({ signal }) => {
      const { steps, seeds, runs } = await unwrap(
        http.GET("/compare", { params: { query }, signal }),
      );
      return { x, steps, seeds, live: trains(runs) };
    },
  });
}

/** Points of the mean returns of each run. */
const RETURN_POINTS = 1_000;

/** The mean returns of several runs over their steps; `live` while they grow. */
export function meanReturnsQuery(runIds: readonly string[]) {
  const query = { runs: runIds.join(","), max_points: RETURN_POINTS };
  return queryOptions({
    queryKey: keys.meanReturns(runIds),
    queryFn: async ({ signal }) => {
      const { steps, runs } = await unwrap(http.GET("/compare", { params: { query }, signal }));
      return { steps, runs: runs.map(({ run, y }) => ({ id: run.id, y })), live: trains(runs) };
    },
  });
}

/** A comparison of several runs. `threshold` null means the environment's own. */
export function comparisonQuery(runIds: readonly string[], threshold: number | null) {
  const query = {
    runs: runIds.join(","),
    max_points: POINTS,
    ...(threshold !== null && { threshold }),
  };
  return queryOptions({
    queryKey: keys.comparison(runIds, threshold),
    queryFn: ({ signal }) => unwrap(http.GET("/compare", { params: { query }, signal })),
    enabled: runIds.length > 0,
  });
}

/** The videos of two evaluations in one, each `RUN/EVALUATION`. Made when it is asked for, which takes some seconds. */
export function sideBySideVideo(first: string, second: string) {
  return unwrap(
    http.GET("/compare/video", { params: { query: { first, second } }, parseAs: "blob" }),
  );
}
