import type { Relative } from "@/lib/api";
import { setting } from "@/lib/format";

/** What was changed at a fork, for instance `gamma 0.99 → 0.9, seed 1 → 7`. */
export function changeWords(changes: Relative["changes"]): string {
  if (changes.length === 0) return "nothing changed";
  return changes
    .map(({ name, before, after }) =>
      before === null
        ? `${name} ${setting(after)}`
        : `${name} ${setting(before)} → ${setting(after)}`,
    )
    .join(", ");
}
