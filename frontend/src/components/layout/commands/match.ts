/** Whether each typed word begins a word of the item's: 1 or 0, as the palette's list wants it. */
export function match(value: string, search: string, keywords: readonly string[] = []): number {
  const words = [value, ...keywords].join(" ").toLowerCase().split(/\s+/);
  const typed = search.toLowerCase().trim().split(/\s+/);
  return typed.every((part) => words.some((word) => word.startsWith(part))) ? 1 : 0;
}
