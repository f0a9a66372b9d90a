"use client";

/** What the service says about algorithms, environments, presets and limits, so that the front end has no copy of it. */

import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { apiBase, http, unwrap } from "./http";
import { keys } from "./keys";
import type { Algorithm, Environment, Limits, Run } from "./types";

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

/** One entry of the algorithms; null if the service does not offer it. A run's page is opened with its own. */
export function algorithmQuery(id: string) {
  return queryOptions({
    queryKey: keys.algorithm(id),
    queryFn: async ({ client }) => entryOf(await client.fetchQuery(algorithmsQuery), id),
    staleTime,
  });
}

/** One entry of the environments; null if the service does not have it. A run's page is opened with its own. */
export function environmentQuery(id: string) {
  return queryOptions({
    queryKey: keys.environment(id),
    queryFn: async ({ client }) => entryOf(await client.fetchQuery(environmentsQuery), id),
    staleTime,
  });
}

function entryOf<Entry extends { id: string }>(all: readonly Entry[], id: string): Entry | null {
  return all.find((entry) => entry.id === id) ?? null;
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

/** Delete a preset of the user's own; runs that were made with it keep their values. */
export async function deleteOwnPreset(id: string): Promise<void> {
  await unwrap(http.DELETE("/presets/{preset_id}", { params: { path: { preset_id: id } } }));
}

/** URL of the experiment that a preset was measured by, as a file. */
export function measuringSpecification(name: string): string {
  return `${apiBase}/presets/specifications/${encodeURIComponent(name)}`;
}

export const settingsQuery = queryOptions({
  queryKey: keys.settings,
  queryFn: ({ signal }) => unwrap(http.GET("/settings", { signal })),
  staleTime,
});

/** Saves settings in the runs folder; null removes a saved value. Answers all settings. */
export function saveSettings(body: Record<string, unknown>) {
  return unwrap(http.PATCH("/settings", { body }));
}

export const healthQuery = queryOptions({
  queryKey: keys.health,
  queryFn: ({ signal }) => unwrap(http.GET("/health", { signal })),
  refetchInterval: 30_000,
});

/** Shown instead of an algorithm for a run that a person plays. Users cannot choose it. */
export const HUMAN = { id: "human", name: "Human", title: "Played by hand" };

/**
 * Returns a function from an algorithm's id to its name; the id itself if the service does not offer it, or
 * while it loads.
 */
export function useAlgorithmName(): (id: string) => string {
  const { data } = useQuery(algorithmsQuery);
  return useCallback((id: string) => nameOf(data, id), [data]);
}

function nameOf(algorithms: readonly Pick<Algorithm, "id" | "name">[] = [], id: string): string {
  return [...algorithms, HUMAN].find((algorithm) => algorithm.id === id)?.name ?? id.toUpperCase();
}

/** The algorithm of a run; undefined while it loads, or if the service does not offer it. */
export function useAlgorithm(id: string): Algorithm | undefined {
  return useQuery(algorithmQuery(id)).data ?? undefined;
}

/** The name of the algorithm of a run. */
export function useNameOfAlgorithm(id: string): string {
  const algorithm = useAlgorithm(id);
  return nameOf(algorithm && [algorithm], id);
}

/** The environment of a run; undefined while it loads, or if the service does not have it. */
export function useEnvironment(id: string): Environment | undefined {
  return useQuery(environmentQuery(id)).data ?? undefined;
}

/**
 * Returns a function from an environment's id to the URL of its picture; null if it has none, or while it
 * loads.
 */
export function useEnvironmentStill(): (id: string) => string | null {
  const { data } = useQuery(environmentsQuery);
  return useCallback(
    (id: string) => data?.find((environment) => environment.id === id)?.still_url ?? null,
    [data],
  );
}

/** The URL of the picture of a run's environment. For a custom environment, only the registry knows it. */
export function useRunStill({
  env_id,
  still_url,
}: Pick<Run, "env_id" | "still_url">): string | null {
  const { data } = useQuery({ ...environmentQuery(env_id), enabled: !still_url });
  return still_url ?? data?.still_url ?? null;
}

/** The limits that the service enforces; undefined while they load. */
export function useLimits(): Limits | undefined {
  return useQuery(limitsQuery).data;
}
