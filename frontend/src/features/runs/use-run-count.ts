"use client";

import { readListFilter, toRunFilter } from "@/api/run-filter";
import { useQueryString } from "@/lib/query-string";
import { useFirstPage } from "./list/paging/use-run-pages";

/** Number of runs in the list; undefined until the first response. */
export function useRunCount(): number | undefined {
  const [query] = useQueryString();
  return useFirstPage(toRunFilter(readListFilter(query))).data?.total_runs;
}
