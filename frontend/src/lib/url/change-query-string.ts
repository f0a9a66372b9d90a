/** The query string (`?…`, or empty) that follows from the one that the address has. */
export type QueryChange = (query: URLSearchParams) => string;

/**
 * Changes the query string of the page's address without a navigation. It begins with that of the address itself: what
 * a page has rendered may be older, and of two changes in a row none is to be lost.
 *
 * @param entry Whether Back leads to what was there before.
 */
export function changeQueryString(
  change: QueryChange,
  entry: "replaceState" | "pushState" = "replaceState",
) {
  const { pathname, search } = window.location;
  const next = change(new URLSearchParams(search));
  window.history[entry](null, "", `${pathname}${next === "?" ? "" : next}`);
}
