import type { StepRecord } from "@/api/types";
import { decimal } from "@/lib/number";
import { placeOfMost } from "./most";
import { actionChoices, byChoice, type DrawnSpace, isCounted, nameOf, placeOf } from "./space";

/**
 * The places in `space` of the counted action that was chosen in the state of `record`, one for each of its choices; of
 * a MultiBinary its bits. It is the action that led to the next step, or before that step the preferred one of a greedy
 * policy.
 */
export function chosenAction(
  record: StepRecord,
  next: StepRecord | null,
  greedy: boolean,
  space: DrawnSpace,
): readonly number[] | null {
  if (next) return isCounted(space) ? placesOf(space, next.action) : null;
  if (!greedy || record.terminated || record.truncated) return null;
  const preferred = record.reading?.probabilities ?? record.reading?.q_values;
  if (!preferred) return null;
  if (space.kind === "MultiBinary") return preferred.map((share) => (share > 0.5 ? 1 : 0));
  const places = record.reading?.places;
  if (places) return [places[placeOfMost(preferred)]!];
  const parts = byChoice(preferred, actionChoices(space)) ?? [preferred];
  return parts.map(placeOfMost);
}

function placesOf(space: DrawnSpace, action: StepRecord["action"]): readonly number[] | null {
  if (typeof action === "number") return [placeOf(space, action)];
  if (!Array.isArray(action)) return null;
  return action
    .flat(Infinity as 1)
    .map((value, choice) => Number(value) - (space.starts?.[choice] ?? 0));
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
      const text = typeof value === "number" && !isCounted(space) ? decimal(value) : String(value);
      return space.labels?.[place] ? `${space.labels[place]} ${text}` : text;
    })
    .join(", ");
}
