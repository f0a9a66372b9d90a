import type { Relative } from "@/api/types";
import { count, setting } from "@/lib/number";

/** What was changed at a fork, for instance `gamma 0.99 → 0.9, seed 1 → 7`. */
export function changeText(changes: Relative["changes"]): string {
  const own = changes.filter(({ in_parent }) => !in_parent);
  const inherited = changes.filter(({ in_parent }) => in_parent);
  const changed = own.length === 0 ? "nothing changed" : listed(own);
  return inherited.length === 0
    ? changed
    : `${changed}; as changed in its parent: ${listed(inherited)}`;
}

function listed(changes: Relative["changes"]): string {
  return changes
    .map(({ name, before, after }) =>
      before === null ? `${name} ${value(after)}` : `${name} ${value(before)} → ${value(after)}`,
    )
    .join(", ");
}

/** Long whole numbers are read more easily in groups. */
function value(of: unknown): string {
  return typeof of === "number" && Number.isInteger(of) && of >= 10_000 ? count(of) : setting(of);
}
