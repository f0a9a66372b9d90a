import { count, percent, plural } from "@/lib/number";
import type { Hint, HintRule } from "./types";

/** `1 episode`, `47 updates`, `3 values`. */
function points(n: number, unit: HintRule["minimum"]["unit"]): string {
  return plural(n, { episodes: "episode", updates: "update", rows: "value" }[unit]);
}

/** `Based on 47 updates, from step 2,048 to 96,256.` */
export function lookedAtText({ looked_at: seen }: Hint): string {
  return `Based on ${points(seen.points, seen.unit)}, from step ${count(seen.from_step)} to ${count(seen.to_step)}.`;
}

/** What became of a rule in a run, in a few words. */
export function ruleText({ state, points: there, minimum }: HintRule): string {
  const seen = points(there, minimum.unit);
  if (state === "not_logged") return "not logged in this run";
  if (state === "found") return `seen in ${seen}`;
  if (state === "silent") return `not seen in ${seen}`;
  const waits = [
    there < minimum.points && points(minimum.points, minimum.unit),
    minimum.progress > 0 && `${percent(minimum.progress)} of training`,
    minimum.ended && "the end of training",
  ].filter((one) => one !== false);
  return `${seen} so far; needs ${waits.join(" and ")}`;
}
