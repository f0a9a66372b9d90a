/** A value that lives outside of React and can be subscribed to. */
export interface ReadableStore<T> {
  readonly get: () => T;
  /** The value during rendering on the server. */
  readonly getInitial: () => T;
  /** Returns the function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface Store<T> extends ReadableStore<T> {
  /** Sets the value. Listeners are called only if its identity changes. */
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

/** A set of functions to call when something happens. */
export class Listeners<Args extends unknown[] = []> {
  private readonly all = new Set<(...args: Args) => void>();
  private disconnect: (() => void) | null = null;

  /**
   * `connect` runs when the first listener subscribes, and the function it returns when the last one
   * unsubscribes. It is for sources outside the app (a clock, a media query) that should cost nothing without
   * listeners.
   */
  constructor(private readonly connect?: () => () => void) {}

  /** Returns the function that unsubscribes. */
  readonly subscribe = (listener: (...args: Args) => void): (() => void) => {
    this.all.add(listener);
    if (this.all.size === 1) this.disconnect ??= this.connect?.() ?? null;
    return () => {
      this.all.delete(listener);
      if (this.all.size > 0) return;
      this.disconnect?.();
      this.disconnect = null;
    };
  };

  notify(...args: Args) {
    // A listener may unsubscribe others while it is called.
    for (const listener of [...this.all]) listener(...args);
  }
}

/**
 * A value that this browser stores as JSON, shared by all tabs. `parse` returns null for invalid values, which are
 * replaced by `initial`. If storage is forbidden, the value lasts until the page is left.
 */
export function createKeptStore<T>(
  key: string,
  initial: T,
  parse: (kept: unknown) => T | null,
): Store<T> {
  let text: string | null = null;
  let value = initial;
  const changes = new Listeners(() => {
    const onStorage = () => changes.notify();
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  });

  return {
    get: () => {
      const kept = stored(key, text);
      if (kept !== text) {
        text = kept;
        value = (kept === null ? null : parse(fromJson(kept))) ?? initial;
      }
      return value;
    },
    getInitial: () => initial,
    subscribe: changes.subscribe,
    set: (next) => {
      value = next;
      text = keep(key, JSON.stringify(next), text);
      changes.notify();
    },
  };
}

/** The stored value; `otherwise` if storage is forbidden. */
function stored(key: string, otherwise: string | null): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return otherwise;
  }
}

function keep(key: string, text: string, otherwise: string | null): string | null {
  try {
    localStorage.setItem(key, text);
    return text;
  } catch {
    return stored(key, otherwise);
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
