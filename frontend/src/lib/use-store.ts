"use client";

import { useSyncExternalStore } from "react";
import type { ReadableStore } from "./store";

/** The store's current value; the component renders again when it changes. */
export function useStore<T>(store: ReadableStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.getInitial);
}

/**
 * The result of `select` for the store's value. The component renders again only when the result changes, so
 * `select` has to return a primitive, or the same object for the same value.
 */
export function useStoreValue<T, S>(store: ReadableStore<T>, select: (value: T) => S): S {
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.get()),
    () => select(store.getInitial()),
  );
}
