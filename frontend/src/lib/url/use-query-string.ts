"use client";

import { useSearchParams } from "next/navigation";

/** The page's query string, and a function that replaces it without a navigation. */
export function useQueryString(): [URLSearchParams, (search: string) => void] {
  const params = useSearchParams();
  const replace = (search: string) =>
    window.history.replaceState(null, "", `${window.location.pathname}${search}`);
  return [new URLSearchParams(params), replace];
}
