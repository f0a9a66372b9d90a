import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { OfferedSink, RunSinks, SinkKind } from "./types";

/** How often to look at a delivery that is under way, and otherwise, in milliseconds. */
const UNDER_WAY_MS = 1_500;
const AT_REST_MS = 15_000;

/** The programs that runs can be delivered to, and what to install for those that are missing. */
export const offeredSinksQuery = queryOptions({
  queryKey: keys.offeredSinks,
  queryFn: ({ signal }): Promise<OfferedSink[]> => unwrap(http.GET("/sinks", { signal })),
});

/** Where a run was, or shall be, delivered to, looked at again for as long as that may change. */
export function runSinksQuery(id: string) {
  return queryOptions({
    queryKey: keys.runSinks(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/sinks", { params: { path: { run_id: id } }, signal })),
    refetchInterval: ({ state: { data } }) => lookAgain(data),
  });
}

function lookAgain(data: RunSinks | undefined): number | false {
  if (data?.sinks.some(({ under_way, next_try_at }) => under_way || next_try_at !== null)) {
    return UNDER_WAY_MS;
  }
  return data?.sinks.some(({ live, state }) => live || state !== "delivered") ? AT_REST_MS : false;
}

const of = (id: string, kind: SinkKind) => ({ params: { path: { run_id: id, kind } } });

/** Delivers the run there from now on: what it has, and what it gains. */
export function addSink(id: string, kind: SinkKind) {
  return unwrap(http.PUT("/runs/{run_id}/sinks/{kind}", of(id, kind)));
}

/** Delivers the run there no more. What is there stays. */
export function removeSink(id: string, kind: SinkKind) {
  return unwrap(http.DELETE("/runs/{run_id}/sinks/{kind}", of(id, kind)));
}

/** Delivers once what it lacks of the run, or again at once after it failed. */
export function deliverToSink(id: string, kind: SinkKind) {
  return unwrap(http.POST("/runs/{run_id}/sinks/{kind}/deliver", of(id, kind)));
}
