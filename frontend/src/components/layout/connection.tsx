"use client";

// Imported from files, not from the index of lib/stream, since every page loads this and few draw
// curves.
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { healthQuery } from "@/api/choices";
import { bytes } from "@/lib/number";
import { useServiceAway } from "@/lib/service";
import type { ConnectionState } from "@/stream/events";
import { useConnectionState } from "@/stream/provider";

/** A shape for each state: a ring, a disc, a square, a diamond. */
const appearances: Record<ConnectionState, { word: string; dot: string }> = {
  connecting: { word: "Connecting", dot: "rounded-full border-2 border-control-line" },
  live: { word: "Live", dot: "rounded-full bg-good" },
  reconnecting: { word: "Reconnecting", dot: "bg-warn animate-breathe" },
  // Seen where a page is visible and the browser says that it is not.
  paused: { word: "Paused", dot: "rounded-full border-2 border-control-line" },
};
const away = { word: "No service", dot: "rotate-45 bg-bad" };

export function Connection() {
  const state = useConnectionState();
  const { data: health } = useQuery(healthQuery);
  const { word, dot } = useServiceAway() === null ? appearances[state] : away;
  const facts =
    health &&
    `Version ${health.version} · ${health.active_runs} of ${health.max_concurrent_runs} training slots in use · ${bytes(health.free_disk_bytes)} free`;
  return (
    <p
      role="status"
      aria-label={`Connection: ${word}`}
      title={facts}
      data-connection={state}
      className="flex items-center gap-1.5 text-xs text-ink-soft"
    >
      <span aria-hidden className={clsx("size-2 shrink-0", dot)} />
      <span className="max-sm:sr-only">{word}</span>
    </p>
  );
}
