"use client";

import { useQueries } from "@tanstack/react-query";
import { ApiError, isActive, type RunDetail, runQuery } from "@/lib/api";

export interface ComparedRuns {
  known: RunDetail[];
  /** Ids that no run has (any more). */
  unknown: string[];
  pending: boolean;
  live: boolean;
  error: Error | null;
  retry: () => void;
}

/** The runs of the address: each is asked for by itself, so that one that is gone does not hide the others. */
export function useComparedRuns(ids: readonly string[]): ComparedRuns {
  const answers = useQueries({ queries: ids.map(runQuery) });
  const isGone = (error: Error | null) => error instanceof ApiError && error.isNotFound;
  const known = answers.flatMap(({ data, error }) => (data && !isGone(error) ? [data] : []));
  const failed = answers.filter(({ data, error }) => !data && error && !isGone(error));
  return {
    known,
    unknown: ids.filter((_, i) => isGone(answers[i]?.error ?? null)),
    pending: answers.some(({ isPending }) => isPending),
    live: known.some(isActive),
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
  };
}
