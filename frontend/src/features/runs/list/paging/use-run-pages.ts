"use client";

import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type RunFilter, runPageQuery, RUNS_A_PAGE } from "@/api/runs";
import type { Run, RunPage, SeedGroup } from "@/api/types";
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

/** The runs and groups around those in view; null where the page is not loaded. */
export function useRunsAround(filter: RunFilter, { first, last, total, passing }: Lines) {
  const head = useFirstPage(filter);
  const wanted = pagesAround(first, last, total, RUNS_A_PAGE).filter((page) => page > 0);
  const rest = useQueries({
    queries: wanted.map((page) => ({ ...runPageQuery(filter, page), enabled: !passing })),
  });
  const pages = new Map(wanted.map((page, i) => [page, rest[i]?.data]));
  pages.set(0, head.data);
  const itemAt = (index: number): { run: Run | null; group: SeedGroup | null } => {
    const page = pages.get(Math.floor(index / RUNS_A_PAGE));
    const run = page?.runs[index % RUNS_A_PAGE] ?? null;
    const group = filter.grouped && run ? groupOf(page, run) : null;
    return { run, group };
  };
  return { itemAt, error: rest.find(({ error }) => error)?.error ?? null };
}

/** Returns a function that loads the ids of the runs from place `first` to `last`, groups with all their runs. */
export function useIdsOfLines(filter: RunFilter) {
  const client = useQueryClient();
  return async (first: number, last: number): Promise<string[]> => {
    const pages = await Promise.all(
      pagesOf(first, last, RUNS_A_PAGE).map((page) =>
        client.ensureQueryData(runPageQuery(filter, page)),
      ),
    );
    const begin = Math.floor(first / RUNS_A_PAGE) * RUNS_A_PAGE;
    const ids = pages.flatMap((page) =>
      page.runs.map((run) =>
        filter.grouped ? (groupOf(page, run)?.run_ids ?? [run.id]) : [run.id],
      ),
    );
    return ids.slice(first - begin, last - begin + 1).flat();
  };
}

function groupOf(page: RunPage | undefined, run: Run): SeedGroup | null {
  return page?.groups?.find(({ id }) => id === run.group_id) ?? null;
}
