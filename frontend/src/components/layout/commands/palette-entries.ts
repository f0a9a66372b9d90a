import { ranked } from "@/lib/search/rank";
import type { PaletteEntry } from "./palette-item";

/** One group of the palette, as shown. */
export interface PaletteGroupEntries {
  heading: string;
  entries: PaletteEntry[];
}

/**
 * What the palette shows for what was typed: the best entry first, its group around it, then the group of the next
 * best. `hidden`: groups that are shown only when something was typed.
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
