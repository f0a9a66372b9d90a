"use client";

import { useSearchParams } from "next/navigation";

/** The page's query, and a way to replace it without a navigation: for filters and views. */
export function useQueryString(): [URLSearchParams, (search: string) => void] {
  const params = useSearchParams();
  const replace = (search: string) =>
    window.history.replaceState(null, "", `${window.location.pathname}${search}`);
  return [new URLSearchParams(params), replace];
}
