import { Listeners } from "./listeners";
import type { Store } from "./store";

/**
 * A value that this browser keeps as JSON, shared by all tabs. `parse` returns null for what is no such value, which
 * then is `initial`. Where storage is forbidden, the value lasts until the page is left.
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

/** What is stored; `otherwise` where storage is forbidden. */
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
