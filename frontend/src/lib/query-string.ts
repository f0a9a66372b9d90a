"use client";

import { useSearchParams } from "next/navigation";
import { startTransition, useEffect, useOptimistic } from "react";

/** Returns the new query string (`?…`, or empty) for the current one of the address. */
export type QueryChange = (query: URLSearchParams) => string;

/** Called with each new query string, in the transition in which the router follows. */
const queryReaders = new Set<(query: URLSearchParams) => void>();

/**
 * Changes the query string of the page's address without a navigation. `change` gets the query string of the address,
 * not the rendered one, which may be older, so that two changes in a row are both kept. Pending changes are written
 * first.
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

/** `query` as the end of an address: with its question mark unless it is empty, and with keys that have no value. */
export function searchOf(query: URLSearchParams): string {
  const text = query.toString().replace(/=(?=&|$)/g, "");
  return text === "" ? "" : `?${text}`;
}

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

/** What waits to be written into the address, in order, with its timers. */
const waiting = new Map<() => void, ReturnType<typeof setTimeout>>();

/**
 * Calls `write`, which changes the address, once nothing was asked for `ms` milliseconds: browsers refuse an address
 * that changes with each key or pixel. It is called sooner where `writeAtOnce` is, and not at all once another page is
 * there. Whoever asks again, or goes away, takes it back first.
 *
 * @returns Takes it back.
 */
export function writeAfter(ms: number, write: () => void): () => void {
  const page = openPage();
  const writeHere = () => {
    if (openPage() === page) write();
  };
  waiting.set(writeHere, setTimeout(writeAtOnce, ms));
  return () => {
    clearTimeout(waiting.get(writeHere));
    waiting.delete(writeHere);
  };
}

/** The page in the address and its `id`. Back and Forward change the address before that page is shown. */
function openPage(): string {
  const { pathname, search } = window.location;
  return `${pathname} ${new URLSearchParams(search).get("id")}`;
}

/** Ends all pauses: before the page is left, as a write during a navigation would cancel it, and before other writes. */
export function writeAtOnce() {
  const due = [...waiting];
  waiting.clear();
  for (const [write, timer] of due) {
    clearTimeout(timer);
    write();
  }
}
