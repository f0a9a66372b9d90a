/** `order` with an item moved to the place of another one, or by a number of places; the same array if it cannot move. */
export function movedItem<Item>(
  order: readonly Item[],
  item: Item,
  to: Item | { by: number },
): readonly Item[] {
  const from = order.indexOf(item);
  const place = isStep(to) ? from + to.by : order.indexOf(to);
  if (from < 0 || place < 0 || place >= order.length || place === from) return order;
  const others = order.filter((other) => other !== item);
  others.splice(place, 0, item);
  return others;
}

function isStep(to: unknown): to is { by: number } {
  return typeof to === "object" && to !== null && "by" in to;
}

/** By how many places an arrow key, Home or End moves an item of `count` items; null for other keys. */
export function keyStep(key: string, place: number, count: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowUp":
      return -1;
    case "ArrowRight":
    case "ArrowDown":
      return 1;
    case "Home":
      return -place;
    case "End":
      return count - 1 - place;
    default:
      return null;
  }
}
