import type { FromHub, Port, ToHub } from "./messages";

/** Connects to the shared worker that has the stream at `url`; null in a browser without shared workers. */
export function connectHub(url: string, onFailure: () => void): Port<ToHub, FromHub> | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    const worker = new SharedWorker(new URL("./hub-worker.ts", import.meta.url), {
      name: url,
      type: "module",
    });
    worker.onerror = onFailure;
    return worker.port as unknown as Port<ToHub, FromHub>;
  } catch {
    return null; // The browser forbids it, as some do in private windows.
  }
}
