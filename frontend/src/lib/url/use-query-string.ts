"use client";

import { useSearchParams } from "next/navigation";
import { useEffect, useOptimistic } from "react";
import { changeQueryString, queryReaders } from "./change-query-string";

/**
 * The page's query string, and `changeQueryString` for as long as the page is there. A change is shown at once: the
 * router follows in a transition, which on a busy machine takes long enough for the next press or key.
 */
export function useQueryString(): [query: URLSearchParams, change: typeof changeQueryString] {
  const [query, show] = useOptimistic<URLSearchParams>(useSearchParams());
  // External system: the address, which others change, too.
  useEffect(() => {
    queryReaders.add(show);
    return () => void queryReaders.delete(show);
  }, [show]);
  const change: typeof changeQueryString = (...given) => {
    if (queryReaders.has(show)) changeQueryString(...given);
  };
  return [new URLSearchParams(query), change];
}
