"use client";

import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Run, type RunFilter, runPageQuery, RUNS_A_PAGE } from "@/lib/api";
import { pagesAround, pagesOf } from "./pages";

/** The first page of a list: it also says how long the list is. The old list stays until the new one is there. */
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
  /** They go by too fast to read: only what is already there is shown. */
  passing: boolean;
}

/** The runs around the lines in view; null for one whose page has not come yet. */
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

/** Reads the ids of lines `first` to `last`, wherever they are in the list. */
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
