import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";

/** What can be chosen changes only when the service is updated or configured. */
const staleTime = 5 * 60_000;

export const algorithmsQuery = queryOptions({
  queryKey: keys.algorithms,
  queryFn: ({ signal }) => unwrap(http.GET("/algorithms", { signal })),
  staleTime,
});

export const environmentsQuery = queryOptions({
  queryKey: keys.environments,
  queryFn: ({ signal }) => unwrap(http.GET("/environments", { signal })),
  staleTime,
});

export const metricDefinitionsQuery = queryOptions({
  queryKey: keys.metricDefinitions,
  queryFn: ({ signal }) => unwrap(http.GET("/metric-definitions", { signal })),
  staleTime,
});

export const limitsQuery = queryOptions({
  queryKey: keys.limits,
  queryFn: ({ signal }) => unwrap(http.GET("/limits", { signal })),
  staleTime,
});
