"use client";

import { useSearchParams } from "next/navigation";
import { startTransition, useOptimistic } from "react";
import { changeQueryString, type QueryChange } from "./change-query-string";

/**
 * The page's query string, and a function that changes it without a navigation. What shows a change is there at once:
 * the router follows in a transition, which on a busy machine takes long enough for the next press or key.
 */
export function useQueryString(): [
  query: URLSearchParams,
  change: (change: QueryChange, entry?: "replaceState" | "pushState") => void,
] {
  const [query, show] = useOptimistic<URLSearchParams>(useSearchParams());
  const change = (...given: Parameters<typeof changeQueryString>) =>
    startTransition(() => {
      changeQueryString(...given);
      show(new URLSearchParams(window.location.search));
    });
  return [new URLSearchParams(query), change];
}
