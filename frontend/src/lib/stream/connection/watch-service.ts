import type { ReadableStore, Store } from "@/lib/store";
import type { ConnectionState, Timers } from "./events";

/** A stream that is back within so many milliseconds was only opened anew. */
export const GRACE_MS = 1_500;

/** Between two questions to a service that is away. */
const AGAIN_MS = 2_000;

interface WatchOptions {
  state: ReadableStore<ConnectionState>;
  /** Resolves to whether the service answers at all. Never rejects. */
  probe: () => Promise<boolean>;
  timers: Timers;
  now: () => number;
  away: Store<number | null>;
}

/**
 * Keeps `away`: when the service stopped answering, or null. A stream that dropped is the sign; but it may have
 * been refused or paused alone, so the service is asked before it is said to be away. Returns what ends it.
 */
export function watchService({ state, probe, timers, now, away }: WatchOptions): () => void {
  let timer: number | null = null;
  let since = 0;
  /** Distinguishes an answer to a question of this outage from a late one. */
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
