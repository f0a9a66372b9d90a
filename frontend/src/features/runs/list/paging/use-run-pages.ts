"use client";

import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Run, type RunFilter, runPageQuery, RUNS_A_PAGE } from "@/lib/api";
import { pagesAround, pagesOf } from "./pages";

/** The first page of a list, with the total. While another filter loads, the former list stays. */
export function useFirstPage(filter: RunFilter) {
  return useQuery({
    ...runPageQuery(filter, 0),
    placeholderData: keepPreviousData,
    refetchOnMount: "always",
  });
}

interface Lines {
  first: number;
  last: number;
  total: number;
  /** Whether rows scroll by too fast to read; no page is requested meanwhile. */
  passing: boolean;
}

/** The runs around the rows in view; null for a row whose page is not loaded. */
export function useRunsAround(filter: RunFilter, { first, last, total, passing }: Lines) {
  const head = useFirstPage(filter);
  const wanted = pagesAround(first, last, total, RUNS_A_PAGE).filter((page) => page > 0);
  const rest = useQueries({
    queries: wanted.map((page) => ({ ...runPageQuery(filter, page), enabled: !passing })),
  });
  const pages = new Map(wanted.map((page, i) => [page, rest[i]?.data?.runs]));
  pages.set(0, head.data?.runs);
  const runAt = (line: number): Run | null =>
    pages.get(Math.floor(line / RUNS_A_PAGE))?.[line % RUNS_A_PAGE] ?? null;
  return { runAt, error: rest.find(({ error }) => error)?.error ?? null };
}

/** Returns a function that loads the ids of the runs in rows `first` to `last`. */
export function useIdsOfLines(filter: RunFilter) {
  const client = useQueryClient();
  return async (first: number, last: number): Promise<string[]> => {
    const pages = await Promise.all(
      pagesOf(first, last, RUNS_A_PAGE).map((page) =>
        client.ensureQueryData(runPageQuery(filter, page)),
      ),
    );
    const begin = Math.floor(first / RUNS_A_PAGE) * RUNS_A_PAGE;
    const runs = pages.flatMap((page) => page.runs);
    return runs.slice(first - begin, last - begin + 1).map(({ id }) => id);
  };
}
