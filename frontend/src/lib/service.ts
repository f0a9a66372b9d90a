"use client";

import { createStore } from "./store";
import { useStore } from "./use-store";

/**
 * When the service stopped responding, in milliseconds; null while it responds. Only `watchService` writes
 * it. One value for the whole app: clocks, buttons and messages read it.
 */
export const serviceAwaySince = createStore<number | null>(null);

/** Why actions that need the service are disabled. */
export const SERVICE_AWAY = "The service does not answer";

/** When the service stopped responding, in milliseconds; null while it responds. */
export function useServiceAway(): number | null {
  return useStore(serviceAwaySince);
}
