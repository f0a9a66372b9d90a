"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { environmentsQuery } from "@/lib/api";

/** Tells where an environment's picture is, by its id; null where there is none, or none is known yet. */
export function useEnvironmentStill(): (id: string) => string | null {
  const { data } = useQuery(environmentsQuery);
  return useCallback(
    (id: string) => data?.find((environment) => environment.id === id)?.still_url ?? null,
    [data],
  );
}
