const LONGEST = 40;
const MOST = 20;

/** `tags` with the comma-separated tags in `typed` added, except blank ones and those already there. */
export function addTags(tags: readonly string[], typed: string): string[] {
  const fresh = typed
    .split(",")
    .map((tag) => tag.trim().slice(0, LONGEST))
    .filter((tag) => tag !== "");
  return [...new Set([...tags, ...fresh])].slice(0, MOST);
}
