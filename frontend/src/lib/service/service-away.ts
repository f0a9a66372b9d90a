import { createStore } from "@/lib/store";

/**
 * When the service stopped answering, in milliseconds; null while it answers. Written by `watchService` alone.
 * There is one service, so this is one value for the whole app: its clock, buttons and messages read it.
 */
export const serviceAwaySince = createStore<number | null>(null);

/** Why nothing can be asked of the service at the moment. */
export const SERVICE_AWAY = "The service does not answer";
