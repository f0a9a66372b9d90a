import type { QueueMove } from "@/api/types";

/**
 * The new place of a run that is dropped on `target`: behind it if the run came from above, before it if it came from
 * below.
 */
export function dropPlace(
  ids: readonly string[],
  dragged: string,
  target: string,
): QueueMove | null {
  const from = ids.indexOf(dragged);
  const to = ids.indexOf(target);
  if (from < 0 || to < 0 || from === to) return null;
  if (from > to) return { before: target };
  const next = ids[to + 1];
  return next === undefined ? { to: "last" } : { before: next };
}

/** What an arrow key, Home or End on the handle of a queued run does. */
export function keyMove(key: string): QueueMove | null {
  const moves = { ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" } as const;
  return Object.hasOwn(moves, key) ? { to: moves[key as keyof typeof moves] } : null;
}

/** The queue after a move, as the service will return it. */
export function movedQueue<Item extends { id: string }>(
  queue: readonly Item[],
  id: string,
  { to, before }: QueueMove,
): Item[] {
  const old = queue.findIndex((item) => item.id === id);
  const moved = queue[old];
  if (!moved) return [...queue];
  const others = queue.filter((item) => item.id !== id);
  const place = before
    ? others.findIndex((item) => item.id === before)
    : { first: 0, up: Math.max(0, old - 1), down: old + 1, last: others.length }[to ?? "last"];
  if (place < 0) return [...queue];
  return [...others.slice(0, place), moved, ...others.slice(place)];
}
