const LONGEST = 40;
const MOST = 20;

/** The tags after adding what was typed, commas between several; repeats and blanks add nothing. */
export function addTags(tags: readonly string[], typed: string): string[] {
  const fresh = typed
    .split(",")
    .map((tag) => tag.trim().slice(0, LONGEST))
    .filter((tag) => tag !== "");
  return [...new Set([...tags, ...fresh])].slice(0, MOST);
}
