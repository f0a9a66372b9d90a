"use client";

import { readListFilter, toRunFilter, useQueryString } from "@/lib/url";
import { useFirstPage } from "./list/paging/use-run-pages";

/** How many runs the list shows; undefined before its first answer. */
export function useRunCount(): number | undefined {
  const [query] = useQueryString();
  return useFirstPage(toRunFilter(readListFilter(query))).data?.total;
}
