"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { isActive, runsByIdQuery } from "@/api/runs";
import type { Run } from "@/api/types";

export interface ComparedRuns {
  /** In the order of the address. */
  known: Run[];
  /** Ids that belong to no run (any more). */
  unknown: string[];
  pending: boolean;
  live: boolean;
  error: Error | null;
  retry: () => void;
}

/** The runs in the address, loaded in one request, so that a missing one does not hide the others. */
export function useComparedRuns(ids: readonly string[]): ComparedRuns {
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...runsByIdQuery(ids),
    placeholderData: keepPreviousData,
  });
  const found = new Map(data?.runs.map((run) => [run.id, run]));
  const known = ids.flatMap((id) => found.get(id) ?? []);
  return {
    known,
    unknown: data && !isPlaceholderData ? ids.filter((id) => !found.has(id)) : [],
    pending: ids.length > 0 && isPending,
    live: known.some(isActive),
    error: data ? null : error,
    retry: () => void refetch(),
  };
}
