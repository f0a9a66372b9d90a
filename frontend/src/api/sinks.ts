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

/** The sinks of a run and the state of their deliveries; polled while deliveries can still change. */
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

/** Delivers the run to this sink from now on: existing and new data. */
export function addSink(id: string, kind: SinkKind) {
  return unwrap(http.PUT("/runs/{run_id}/sinks/{kind}", of(id, kind)));
}

/** Stops delivering the run to this sink. Delivered data stays there. */
export function removeSink(id: string, kind: SinkKind) {
  return unwrap(http.DELETE("/runs/{run_id}/sinks/{kind}", of(id, kind)));
}

/** Delivers the missing data of the run once, or retries at once after a failure. */
export function deliverToSink(id: string, kind: SinkKind) {
  return unwrap(http.POST("/runs/{run_id}/sinks/{kind}/deliver", of(id, kind)));
}
