import type { ReadableStore, Store } from "@/lib/store";
import type { Timers } from "@/lib/time";
import type { ConnectionState } from "./events";

/** A stream that is back within this many milliseconds was only reopened. */
export const GRACE_MS = 1_500;

/** Milliseconds between two probes of a service that does not respond. */
const AGAIN_MS = 2_000;

interface WatchOptions {
  state: ReadableStore<ConnectionState>;
  /** Resolves to whether the service responds at all. Never rejects. */
  probe: () => Promise<boolean>;
  timers: Timers;
  now: () => number;
  away: Store<number | null>;
}

/**
 * Sets `away` to when the service stopped responding, or null. A lost stream alone does not prove it (it may
 * have been refused or paused), so the service is probed first. Returns a function that stops watching.
 */
export function watchService({ state, probe, timers, now, away }: WatchOptions): () => void {
  let timer: number | null = null;
  let since = 0;
  /** Distinguishes a probe of the current outage from a late one. */
  let outage = 0;

  const cancel = () => {
    outage += 1;
    if (timer !== null) timers.clear(timer);
    timer = null;
  };
  const ask = async () => {
    timer = null;
    const asked = outage;
    const answers = await probe();
    if (asked !== outage) return;
    away.set(answers ? null : since);
    timer = timers.set(() => void ask(), AGAIN_MS);
  };
  let before = state.get();
  const onState = () => {
    const next = state.get();
    if (next === before) return;
    before = next;
    cancel();
    if (next === "reconnecting") {
      since = now();
      timer = timers.set(() => void ask(), GRACE_MS);
    } else {
      away.set(null);
    }
  };
  const unsubscribe = state.subscribe(onState);
  return () => {
    unsubscribe();
    cancel();
    away.set(null);
  };
}
