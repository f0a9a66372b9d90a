/** The texts that an item is found by. */
export interface Findable {
  name: string;
  /** Words of a description, matched from their beginning. */
  words?: readonly string[];
}

/** Scores of how well one typed word matches, from no match to the best. */
const NONE = 0;
const IN_DESCRIPTION = 1;
const WITHIN_NAME = 2;
const BEGINS_WORD_OF_NAME = 3;
const BEGINS_NAME = 4;
const IS_NAME = 5;

/**
 * The items that match all typed words, best match first; all items in their order if nothing is typed. A
 * match at the beginning of the name ranks highest, then elsewhere in the name, then in `words`. Equal
 * matches keep their order.
 */
export function ranked<T extends Findable>(items: readonly T[], typed: string): readonly T[] {
  const parts = wordsOf(typed);
  if (parts.length === 0) return items;
  return items
    .map((item) => ({ item, fit: fitOf(item, parts) }))
    .filter(({ fit }) => fit > NONE)
    .toSorted((a, b) => b.fit - a.fit)
    .map(({ item }) => item);
}

/** The mean score over the typed words; 0 if one of them does not match. */
function fitOf({ name, words = [] }: Findable, parts: readonly string[]): number {
  const lower = name.toLowerCase();
  const begins = beginningsOf(name);
  const nameWords = wordsOf(spaced(name));
  const description = words.flatMap(wordsOf);
  const fits = parts.map((part): number => {
    if (lower === part) return IS_NAME;
    if (begins.some((begin) => begin.startsWith(part))) return BEGINS_NAME;
    if (nameWords.some((word) => word.startsWith(part))) return BEGINS_WORD_OF_NAME;
    if (lower.includes(part)) return WITHIN_NAME;
    return description.some((word) => word.startsWith(part)) ? IN_DESCRIPTION : NONE;
  });
  return fits.includes(NONE) ? NONE : fits.reduce<number>((sum, fit) => sum + fit, 0) / fits.length;
}

/** `ALE/Pong-v5` begins with `ale` and, past its namespace, with `pong`. */
function beginningsOf(name: string): string[] {
  const lower = name.toLowerCase();
  const slash = lower.lastIndexOf("/");
  return slash < 0 ? [lower] : [lower, lower.slice(slash + 1)];
}

/** `FrozenLake-v1` → `Frozen Lake v1`. */
function spaced(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ");
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,.;:()“”"]+/)
    .filter((word) => word !== "");
}
