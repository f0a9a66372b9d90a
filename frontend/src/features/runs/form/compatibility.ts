import type { Algorithm, Environment } from "@/api/types";
import { algorithmOf, type Choices, type Draft, environmentOf } from "./draft";

const ACTIONS: Record<string, string> = {
  Discrete: "discrete",
  Box: "continuous",
  MultiDiscrete: "several discrete",
  MultiBinary: "on-off",
};

const OBSERVATIONS: Record<string, string> = {
  Discrete: "numbered",
  Box: "numeric",
  MultiDiscrete: "several numbered",
  MultiBinary: "on-off",
  Tuple: "compound",
};

/** Why an algorithm cannot train on an environment, in a few words; null if it can. */
export function whyIncompatible(algorithm: Algorithm, environment: Environment): string | null {
  if (environment.algorithms.includes(algorithm.id)) return null;
  if (!algorithm.action_spaces.includes(environment.action_space.kind)) {
    return `Needs ${either(algorithm.action_spaces, ACTIONS)} actions`;
  }
  if (!algorithm.observation_spaces.includes(environment.observation_space.kind)) {
    return `Needs ${either(algorithm.observation_spaces, OBSERVATIONS)} observations`;
  }
  return environment.action_space.kind === "Box"
    ? "Needs actions between two bounds that differ"
    : `Does not fit ${environment.name}`;
}

/** Observation and action space in words, for instance `4 numbers → 2 actions`. */
export function spacesText({ observation_space: sees, action_space: does }: Environment): string {
  return `${inWords(sees, "state", "number")} → ${inWords(does, "action", "continuous action")}`;
}

function inWords({ kind, n, shape }: Environment["action_space"], one: string, number: string) {
  if (kind === "Discrete" && n !== null) return `${n.toLocaleString("en-US")} ${one}s`;
  const size = shape.reduce((product, side) => product * side, 1);
  if (shape.length > 1) return `${shape.join("×")} ${number}s`;
  return `${size} ${number}${size === 1 ? "" : "s"}`;
}

function either(kinds: readonly string[], words: Record<string, string>): string {
  return kinds.map((kind) => words[kind] ?? kind).join(" or ");
}

/** Why the draft's algorithm cannot train on its environment, with the options that are set; null if it can. */
export function whyDraftIncompatible(choices: Choices, draft: Draft): string | null {
  const algorithm = algorithmOf(choices, draft);
  const environment = environmentOf(choices, draft);
  return algorithm && environment ? whyIncompatible(algorithm, environment) : null;
}

/** A sentence that says which algorithm is used instead of the wanted one; empty if the wanted one is used. */
export function replacedAlgorithmNote(choices: Choices, draft: Draft): string {
  const wanted = algorithmOf(choices, { ...draft, algo: draft.wanted });
  const now = algorithmOf(choices, draft);
  const why = whyDraftIncompatible(choices, { ...draft, algo: draft.wanted });
  if (!wanted || !now || !why || wanted === now) return "";
  return `${wanted.name} cannot act here (${why.charAt(0).toLowerCase()}${why.slice(1)}), so ${now.name} was chosen.`;
}
