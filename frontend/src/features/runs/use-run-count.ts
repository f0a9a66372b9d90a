"use client";

import { useQueryString } from "@/lib/query-string";
import { readListFilter, toRunFilter } from "@/lib/url/list-filter";
import { useFirstPage } from "./list/paging/use-run-pages";

/** Number of runs in the list; undefined until the first response. */
export function useRunCount(): number | undefined {
  const [query] = useQueryString();
  return useFirstPage(toRunFilter(readListFilter(query))).data?.total_runs;
}
