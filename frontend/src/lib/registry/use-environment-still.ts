"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { environmentsQuery } from "../api/queries/choices";
import type { Run } from "../api/types";

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

/** The URL of the picture of a run's environment. That of a custom one is known to the registry alone. */
export function useRunStill({
  env_id,
  still_url,
}: Pick<Run, "env_id" | "still_url">): string | null {
  const { data } = useQuery({ ...environmentsQuery, enabled: !still_url });
  return still_url ?? data?.find(({ id }) => id === env_id)?.still_url ?? null;
}
