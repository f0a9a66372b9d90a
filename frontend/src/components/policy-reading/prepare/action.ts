import type { StepRecord } from "@/lib/api";
import { decimal } from "@/lib/format";
import { type DrawnSpace, nameOf, placeOf } from "./space";

/**
 * The place in `space` of the discrete action that was chosen in the state of `record`: the one that led to the next
 * step. Before that step, it is the preferred action of a greedy policy.
 */
export function chosenAction(
  record: StepRecord,
  next: StepRecord | null,
  greedy: boolean,
  space: DrawnSpace,
): number | null {
  if (next) return typeof next.action === "number" ? placeOf(space, next.action) : null;
  if (!greedy || record.terminated || record.truncated) return null;
  const preferred = record.reading?.probabilities ?? record.reading?.q_values;
  return preferred ? preferred.indexOf(Math.max(...preferred)) : null;
}

/** An action in words: its name, or the number of each component. */
export function actionText(action: StepRecord["action"], space: DrawnSpace): string | null {
  if (action === null || action === undefined) return null;
  if (typeof action === "number") {
    return space.kind === "Discrete" ? nameOf(space, placeOf(space, action)) : decimal(action);
  }
  if (!Array.isArray(action)) return JSON.stringify(action);
  return action
    .flat(Infinity as 1)
    .map((value, place) => {
      const text = typeof value === "number" ? decimal(value) : String(value);
      return space.labels?.[place] ? `${space.labels[place]} ${text}` : text;
    })
    .join(", ");
}
