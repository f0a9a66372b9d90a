import type { CreateEvaluation, Evaluation, PolicyChoice } from "@/api/types";
import { count, parseNumber } from "@/lib/number";

/** What the form holds: text as it was typed. */
export interface RequestDraft {
  /** Null until somebody chooses: then as many as the service plays by default. */
  episodes: number | null;
  seed: string;
  deterministic: boolean;
  /** Null until somebody chooses: then it is the best where the run keeps one, else the latest. */
  policy: PolicyChoice | null;
}

export const USUAL: RequestDraft = {
  episodes: null,
  seed: "",
  deterministic: true,
  policy: null,
};

/** What is wrong with a seed as it was typed; `most`: the largest that the service takes. */
export function seedError(seed: string, most: number): string | undefined {
  if (seed.trim() === "") return undefined;
  const value = parseNumber(seed);
  if (!Number.isSafeInteger(value)) return "Enter a whole number";
  return value < 0 || value > most ? `Must be 0 to ${count(most)}` : undefined;
}

/** Only what differs from the service's own choice is sent. `usual`: the policy, if nobody chose one. */
export function toRequest(
  { episodes, seed, deterministic, policy }: RequestDraft,
  usual: PolicyChoice,
): CreateEvaluation {
  const chosen = policy ?? usual;
  return {
    ...(episodes !== null && { episodes }),
    ...(seed.trim() !== "" && { seed: parseNumber(seed) }),
    ...(!deterministic && { deterministic }),
    ...(chosen !== "latest" && { policy: chosen }),
  };
}

/** The same evaluation once more. */
export function again({ episodes, seed, deterministic, policy }: Evaluation): CreateEvaluation {
  return { episodes, seed, deterministic, policy };
}
