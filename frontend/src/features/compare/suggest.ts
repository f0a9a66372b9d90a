import type { Run } from "@/lib/api";

/**
 * A pair worth comparing: what is chosen (or the newest run that has learned something) and the newest other
 * one, in the same environment if there is one. Null where there are no two. `runs` newest first.
 */
export function suggest(runs: readonly Run[], chosen: readonly string[]): [Run, Run] | null {
  const begun = runs.filter(({ step }) => step > 0);
  const first =
    runs.find(({ id }) => id === chosen[0]) ?? (chosen.length === 0 ? begun[0] : undefined);
  if (!first) return null;
  const others = begun.filter(({ id }) => id !== first.id);
  const second = others.find(({ env_id }) => env_id === first.env_id) ?? others[0];
  return second ? [first, second] : null;
}
