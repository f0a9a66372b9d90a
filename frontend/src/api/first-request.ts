/**
 * A page's main request goes first: other read requests wait until it is answered. They would slow it down, and the
 * page cannot show their responses earlier anyway.
 */

/** Milliseconds after which the others are sent in any case. */
const MOST_MS = 5_000;

interface Hold {
  released: Promise<void>;
  release: () => void;
}

let hold: Hold | null = null;

/** From now on requests that read wait, until `releaseRequests` is called or five seconds have passed. */
export function holdRequests() {
  if (hold) return;
  let resolve = () => {};
  const released = new Promise<void>((done) => (resolve = done));
  const timer = setTimeout(releaseRequests, MOST_MS);
  hold = {
    released,
    release: () => {
      clearTimeout(timer);
      resolve();
    },
  };
}

/** Sends all requests that wait. */
export function releaseRequests() {
  const held = hold;
  hold = null;
  held?.release();
}

/** Sends a request at once, unless it only reads and more important requests go first. */
export function sendInTurn(request: Request): Promise<Response> {
  if (!hold || request.method !== "GET") return fetch(request);
  return hold.released.then(() => fetch(request));
}
