import { parseHyperparameter } from "@/forms/parse";
import { count, plural } from "@/lib/number";
import { algorithmOf, type Choices, type Draft, schemasOf, untouched } from "./draft";

/**
 * Environment steps of one rollout with the values in the form; null while one of the factors is not a valid
 * number.
 */
function rolloutSteps(choices: Choices, draft: Draft): number | null {
  const factors = algorithmOf(choices, draft)?.rollout_factors ?? [];
  const schemas = schemasOf(choices, draft, "hyperparameters");
  let steps = 1;
  for (const name of factors) {
    const schema = schemas.find((one) => one.name === name);
    if (!schema) return null;
    const typed = draft.hyperparameters[name];
    const parsed = typed === undefined ? null : parseHyperparameter(schema, typed);
    const value = parsed?.ok ? parsed.value : untouched(choices, draft, "hyperparameters", schema);
    if (typeof value !== "number" || !(value > 0)) return null;
    steps *= value;
  }
  return steps;
}

/**
 * Says how many steps training will make if it rounds up to whole rollouts; null if it ends exactly at
 * `timesteps`.
 */
export function roundingNote(choices: Choices, draft: Draft, timesteps: number): string | null {
  const steps = rolloutSteps(choices, draft);
  if (steps === null || !(timesteps > 0) || timesteps % steps === 0) return null;
  const rollouts = Math.ceil(timesteps / steps);
  return `rounded up to ${plural(rollouts, "rollout")} = ${count(rollouts * steps)}`;
}
