import { openEventSource } from "./event-stream-client";
import type { FromHub, Port, ToHub } from "./messages";
import { StreamHub } from "./stream-hub";

/** The parts of a shared worker that TypeScript's library for pages does not know. */
interface SharedWorkerScope {
  name: string;
  onconnect: ((event: MessageEvent) => void) | null;
}

const scope = globalThis as unknown as SharedWorkerScope;

/** Pages name the worker after the address of the stream. */
const hub = new StreamHub(scope.name, {
  open: openEventSource,
  timers: {
    set: (callback, ms) => setTimeout(callback, ms) as unknown as number,
    clear: (id) => clearTimeout(id),
  },
});

scope.onconnect = ({ ports }) => hub.connect(ports[0] as unknown as Port<FromHub, ToHub>);
