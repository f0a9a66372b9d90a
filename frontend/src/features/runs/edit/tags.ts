/** `tags` with the comma-separated tags in `typed` added, except blank ones and those already there. */
export function addTags(tags: readonly string[], typed: string): string[] {
  const fresh = typed
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  return [...new Set([...tags, ...fresh])];
}
