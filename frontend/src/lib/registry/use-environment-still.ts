"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { environmentsQuery } from "@/lib/api";

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
