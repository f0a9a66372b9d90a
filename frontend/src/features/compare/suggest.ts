import type { Run } from "@/api/types";

/**
 * A pair of runs worth comparing: the selected one, or the newest with something learned, and the newest
 * other one, preferably in the same environment. Null with fewer than two runs. `runs` must be newest first.
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
