import { queryOptions } from "@tanstack/react-query";
import { apiBase } from "../base";
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

/** Delete a preset of the user's own; runs that were made with it keep their values. */
export async function deleteOwnPreset(id: string): Promise<void> {
  await unwrap(http.DELETE("/presets/{preset_id}", { params: { path: { preset_id: id } } }));
}

/** URL of the experiment that a preset was measured by, as a file. */
export function measuringSpecification(name: string): string {
  return `${apiBase}/presets/specifications/${encodeURIComponent(name)}`;
}

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
