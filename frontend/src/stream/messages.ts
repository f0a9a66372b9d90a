import type { SourceMessage } from "./events";

/** Messages from a page to the hub. `id` is a number that the page gives to each stream that it opens. */
export type ToHub =
  /** `query` is the query of the stream's address, as `RunSubscriptions` writes it. */
  | { kind: "open"; id: number; query: string }
  | { kind: "close"; id: number }
  /** The page is still there. */
  | { kind: "ping"; id: number };

/** What the hub sends to a page. */
export type FromHub =
  /** The stream is open, for the first time or again after `interrupted`. */
  | { kind: "opened"; id: number }
  /** The connection is lost, and is being opened again. */
  | { kind: "interrupted"; id: number }
  /** The stream is not opened again: the service refused it, or the hub does not know the page any more. */
  | { kind: "closed"; id: number }
  /** All pages together follow too many runs: the page needs a separate stream. */
  | { kind: "full"; id: number }
  | { kind: "pong"; id: number }
  | ({ kind: "message"; id: number } & { message: SourceMessage });

/** The part of a MessagePort that both ends need. */
export interface Port<Sent, Received> {
  postMessage(message: Sent): void;
  onmessage: ((event: { data: Received }) => void) | null;
}
