import { startTransition } from "react";
import { writeAtOnce } from "./write-after";

/** The query string (`?…`, or empty) that follows from the one that the address has now. */
export type QueryChange = (query: URLSearchParams) => string;

/** Called with each new query string, in the transition in which the router follows. */
export const queryReaders = new Set<(query: URLSearchParams) => void>();

/**
 * Changes the query string of the page's address without a navigation. `change` is given what the address says, not
 * what the page has rendered, which may be older: so two changes in a row are both kept. What waits to be written is
 * written first, since what is shown then may no longer have it.
 *
 * @param entry With `pushState`, Back leads to what was there before.
 */
export function changeQueryString(
  change: QueryChange,
  entry: "replaceState" | "pushState" = "replaceState",
) {
  writeAtOnce();
  const { pathname, search } = window.location;
  const next = change(new URLSearchParams(search));
  startTransition(() => {
    window.history[entry](null, "", `${pathname}${next}`);
    for (const show of queryReaders) show(new URLSearchParams(next));
  });
}

/** `query` as the end of an address: with its question mark, unless it is empty, and keys without a value alone. */
export function searchOf(query: URLSearchParams): string {
  const text = query.toString().replace(/=(?=&|$)/g, "");
  return text === "" ? "" : `?${text}`;
}
