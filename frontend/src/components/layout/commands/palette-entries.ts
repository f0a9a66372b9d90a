import { ranked } from "@/lib/rank";
import type { PaletteEntry } from "./palette-item";

/** A titled group of entries. */
export interface PaletteGroupEntries {
  heading: string;
  entries: PaletteEntry[];
}

/**
 * The groups that match `text`: the one with the best entry first, then the one with the next best. Groups in
 * `hidden` are left out while nothing is typed.
 */
export function paletteGroups(
  entries: readonly PaletteEntry[],
  typed: string,
  hidden: readonly string[],
): PaletteGroupEntries[] {
  const shown =
    typed.trim() === ""
      ? entries.filter(({ group }) => !hidden.includes(group))
      : ranked(entries, typed);
  const groups = new Map<string, PaletteEntry[]>();
  for (const entry of shown) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups].map(([heading, members]) => ({ heading, entries: members }));
}
