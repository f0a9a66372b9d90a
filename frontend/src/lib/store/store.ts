import { Listeners } from "./listeners";

/** A value that lives outside of React and can be subscribed to. */
export interface ReadableStore<T> {
  readonly get: () => T;
  /** The value during rendering on the server. */
  readonly getInitial: () => T;
  /** Returns the function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface Store<T> extends ReadableStore<T> {
  /** Sets the value. Listeners are called only if it is another one, by identity. */
  readonly set: (value: T) => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Listeners();
  return {
    get: () => value,
    getInitial: () => initial,
    subscribe: listeners.subscribe,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      listeners.notify();
    },
  };
}
