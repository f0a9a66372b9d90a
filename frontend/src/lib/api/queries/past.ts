import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import { joinNames } from "../name-list";
import { isActive } from "../run-status";
import type { Run } from "../types";

/** Points of each curve: it is context, and drawn faint. */
const POINTS = 1000;

interface PastRequest {
  x: "step" | "episode" | "seconds";
  /** Metrics; all if left out. */
  names?: readonly string[];
}

/** How often it is asked whether a run that trains has retraced what it left behind, in milliseconds. */
const RETRACED = 10_000;

/** What a run has left behind, and the runs that led to it. It changes when the run goes back, or comes out as before. */
export function pastQuery(run: Pick<Run, "id" | "superseded" | "status">, request: PastRequest) {
  const { id, superseded } = run;
  const { x, names } = request;
  return queryOptions({
    queryKey: [...keys.past(id), superseded.length, request],
    queryFn: ({ signal }) => {
      const query = { x, max_points: POINTS, names: names && joinNames(names) };
      const params = { path: { run_id: id }, query };
      return unwrap(http.GET("/runs/{run_id}/metrics/past", { params, signal }));
    },
    staleTime: Infinity,
    refetchInterval: ({ state }) =>
      isActive(run) && state.data && state.data.ghosts.length > 0 ? RETRACED : false,
    placeholderData: (old) => old,
  });
}

/** Whether a run may have a past to ask for. */
export function hasPast({ superseded, parent }: Pick<Run, "superseded" | "parent">): boolean {
  return Boolean(parent) || superseded.some(({ first, last }) => first <= last);
}
