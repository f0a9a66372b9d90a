/** The first request of a run's page, which answers all that is needed to draw its first curve. */

import { queryOptions } from "@tanstack/react-query";
import { algorithmQuery, environmentQuery, limitsQuery, metricDefinitionsQuery } from "./choices";
import { fetchEarly, hasEarlyOpening } from "./early";
import { holdRequests } from "./first-request";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import { fetchMetricHistory, type HistoryQuery } from "./metrics";
import { runQuery } from "./runs";
import type { MetricCurves, RunOpening } from "./types";

/** How the curves of a page are asked for. */
export type OpeningView = Required<Pick<HistoryQuery, "x" | "smoothing" | "maxPoints">>;

/** The curves that are requested unless the address says otherwise. */
export const USUAL_VIEW = {
  x: "step",
  smoothing: 0.9,
  maxPoints: 2000,
} as const satisfies OpeningView;

if (hasEarlyOpening()) holdRequests();

/** Curves that came with a run and are not shown yet; null: they have to be requested. */
const unread = new Map<string, { view: OpeningView; curves: Promise<MetricCurves | null> }>();

/**
 * Requests the run, its curves and the registry entries that it uses, and puts each where its own query finds it. The
 * curves are for the first loader that asks for them with `fetchCurves`.
 */
export function runOpeningQuery(id: string, view: OpeningView) {
  return queryOptions({
    queryKey: keys.opening(id),
    queryFn: async ({ client, signal }) => {
      const answer = open(id, view, signal);
      unread.set(id, {
        view,
        curves: answer.then(
          ({ curves }) => curves,
          () => null,
        ),
      });
      const { run, algorithm, environment, metric_definitions, limits } = await answer;
      client.setQueryData(metricDefinitionsQuery.queryKey, metric_definitions);
      client.setQueryData(limitsQuery.queryKey, limits);
      if (algorithm) client.setQueryData(algorithmQuery(algorithm.id).queryKey, algorithm);
      if (environment) client.setQueryData(environmentQuery(environment.id).queryKey, environment);
      client.setQueryData(runQuery(id).queryKey, run);
      return true;
    },
    staleTime: Infinity,
    gcTime: 0,
    // The run's own query says what is wrong, and tries again.
    retry: false,
  });
}

function open(id: string, view: OpeningView, signal: AbortSignal): Promise<RunOpening> {
  const { x, smoothing, maxPoints } = view;
  const params = {
    path: { run_id: id },
    query: { max_points: maxPoints, smoothing, x },
  };
  return unwrap(http.GET("/runs/{run_id}/page", { params, signal, fetch: fetchEarly }));
}

/**
 * The curves of a run that its page was opened with, if they fit the request and were not taken before. Where the first
 * answer has none, because the journal is long, its own request is sent at once: all others wait for the curves.
 */
export async function fetchCurves(
  runId: string,
  query: HistoryQuery,
  signal?: AbortSignal,
): Promise<MetricCurves> {
  const found = unread.get(runId);
  unread.delete(runId);
  const { names, x, smoothing = 0, maxPoints, ...part } = query;
  const isWhole = !names && Object.values(part).every((value) => value === undefined);
  if (found && x && isWhole && isSame(found.view, { x, smoothing, maxPoints })) {
    const curves = await found.curves;
    return curves ?? fetchMetricHistory(runId, query, signal, (request) => fetch(request));
  }
  return fetchMetricHistory(runId, query, signal);
}

function isSame(one: OpeningView, other: OpeningView): boolean {
  return (
    one.x === other.x && one.smoothing === other.smoothing && one.maxPoints === other.maxPoints
  );
}
