import type { Algorithm, CreateExperiment, Environment } from "@/lib/api";
import { parseNumber } from "@/lib/format/parse-number";

/** One thing that is compared. `preset` is empty for the algorithm's defaults. */
export interface VariantDraft {
  algo: string;
  preset: string;
}

export interface ExperimentDraft {
  env: string;
  variants: readonly VariantDraft[];
  seeds: string;
  /** Environment steps of each run; empty: those of its preset. */
  steps: string;
}

export const SEED_COUNTS = ["3", "5", "10"] as const;

export const FIRST: ExperimentDraft = {
  env: "CartPole-v1",
  variants: [
    { algo: "ppo", preset: "fast" },
    { algo: "dqn", preset: "fast" },
  ],
  seeds: "5",
  steps: "",
};

/** The algorithms that can learn in an environment. */
export function fitting(
  algorithms: readonly Algorithm[],
  environment: Environment | undefined,
): Algorithm[] {
  return algorithms.filter(
    ({ actor, observation_spaces, action_spaces }) =>
      actor === "policy" &&
      (!environment ||
        (observation_spaces.includes(environment.observation_space.kind) &&
          action_spaces.includes(environment.action_space.kind))),
  );
}

/** What the form holds as the service takes it, with a name for each variant that tells it from the others. */
export function toSpecification(
  draft: ExperimentDraft,
  algorithms: readonly Algorithm[],
): CreateExperiment {
  const steps = draft.steps.trim() === "" ? null : parseNumber(draft.steps);
  return {
    base: { env_id: draft.env, total_timesteps: steps },
    variants: draft.variants.map(({ algo, preset }) => ({
      name: variantName({ algo, preset }, algorithms),
      changes: { algo, preset: preset || "none" },
    })),
    seeds: Number(draft.seeds),
  };
}

/** `PPO Fast`. */
export function variantName(
  { algo, preset }: VariantDraft,
  algorithms: readonly Algorithm[],
): string {
  const found = algorithms.find(({ id }) => id === algo);
  const title = found?.presets.find(({ id }) => id === preset)?.title ?? "defaults";
  return `${found?.name ?? algo} ${title}`;
}

/** Environment steps of all runs together; null where a length is not known before it is asked for. */
export function totalSteps(
  draft: ExperimentDraft,
  algorithms: readonly Algorithm[],
): number | null {
  const steps = parseNumber(draft.steps);
  let sum = 0;
  for (const { algo, preset } of draft.variants) {
    const found = algorithms
      .find(({ id }) => id === algo)
      ?.presets.find(({ id }) => id === preset)?.total_timesteps;
    const own = draft.steps.trim() === "" ? found : steps;
    if (own === undefined || !Number.isFinite(own)) return null;
    sum += own;
  }
  return sum * Number(draft.seeds);
}
