import { infiniteQueryOptions } from "@tanstack/react-query";
import { http, unwrap } from "../http";
import { keys } from "../keys";
import type { RunStatus } from "../types";

export interface RunFilter {
  q?: string;
  status?: RunStatus[];
}

const PAGE = 30;

export function runListQuery(filter: RunFilter) {
  return infiniteQueryOptions({
    queryKey: keys.runList(filter),
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        http.GET("/runs", {
          params: { query: { ...filter, limit: PAGE, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchOnMount: "always",
  });
}
