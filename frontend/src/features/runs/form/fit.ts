import type { Algorithm, Environment } from "@/lib/api";
import type { Choices, Draft } from "./draft";

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

/** Why an algorithm cannot train on an environment, in a few words; null when it can. */
export function misfit(algorithm: Algorithm, environment: Environment): string | null {
  if (environment.algorithms.includes(algorithm.id)) return null;
  if (!algorithm.action_spaces.includes(environment.action_space.kind)) {
    return `Needs ${either(algorithm.action_spaces, ACTIONS)} actions`;
  }
  if (!algorithm.observation_spaces.includes(environment.observation_space.kind)) {
    return `Needs ${either(algorithm.observation_spaces, OBSERVATIONS)} observations`;
  }
  return `Does not fit ${environment.name}`;
}

/** The two spaces in words: `4 numbers → 2 actions`. */
export function spacesInWords({
  observation_space: sees,
  action_space: does,
}: Environment): string {
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

/** Says that choosing an environment has changed the algorithm; empty when it has not. */
export function algorithmChange(
  { algorithms, environments }: Choices,
  before: string,
  { algo, env }: Draft,
): string {
  const old = algorithms.find(({ id }) => id === before);
  const now = algorithms.find(({ id }) => id === algo);
  const environment = environments.find(({ id }) => id === env);
  const why = old && environment && misfit(old, environment);
  if (!why || !now) return "";
  return `${old.name} cannot act here (${why.charAt(0).toLowerCase()}${why.slice(1)}), so ${now.name} was chosen.`;
}
