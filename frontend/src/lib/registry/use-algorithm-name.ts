"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { algorithmsQuery } from "@/lib/api";

/** Tells an algorithm's name by its id. One that the service does not offer, or not yet, is called by its id. */
export function useAlgorithmName(): (id: string) => string {
  const { data } = useQuery(algorithmsQuery);
  return useCallback(
    (id: string) => data?.find((algorithm) => algorithm.id === id)?.name ?? id.toUpperCase(),
    [data],
  );
}
