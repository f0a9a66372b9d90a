// Not exported by `@/lib/api`: what that exports is loaded by every page, Home included.
import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "@/api/http";
import { keys } from "@/api/keys";

const of = (id: string) => ({ params: { path: { run_id: id } } });

/** Where a run came from and what it holds. The service reads all of its files for the answer. */
export function runTrustQuery(id: string) {
  return queryOptions({
    queryKey: keys.trust(id),
    queryFn: ({ signal }) => unwrap(http.GET("/runs/{run_id}/trust", { ...of(id), signal })),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Allows what the run holds to be used; `contentHash` is of what was shown. */
export function trustRun(id: string, contentHash: string) {
  return unwrap(
    http.POST("/runs/{run_id}/trust", { ...of(id), body: { content_hash: contentHash } }),
  );
}
