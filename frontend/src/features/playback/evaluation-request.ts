import type { CreateEvaluation, Evaluation } from "@/lib/api";

/** What the form holds: text as it was typed. */
export interface RequestDraft {
  episodes: number;
  seed: string;
  deterministic: boolean;
  policy: "latest" | "best";
}

export const USUAL: RequestDraft = {
  episodes: 5,
  seed: "",
  deterministic: true,
  policy: "latest",
};

const MAX_SEED = 2 ** 31 - 1;

export function seedError(seed: string): string | undefined {
  const text = seed.trim();
  if (text === "") return undefined;
  if (!/^\d+$/.test(text)) return "Enter a whole number";
  return Number(text) > MAX_SEED ? `Must be 0 to ${MAX_SEED.toLocaleString("en-US")}` : undefined;
}

/** Only what differs from the service's own choice goes on the wire. */
export function toRequest({
  episodes,
  seed,
  deterministic,
  policy,
}: RequestDraft): CreateEvaluation {
  return {
    episodes,
    ...(seed.trim() !== "" && { seed: Number(seed) }),
    ...(!deterministic && { deterministic }),
    ...(policy !== "latest" && { policy }),
  };
}

/** The same evaluation once more. */
export function again({ episodes, seed, deterministic, policy }: Evaluation): CreateEvaluation {
  return { episodes, seed, deterministic, policy };
}
