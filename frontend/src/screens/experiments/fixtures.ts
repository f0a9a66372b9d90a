import type { Algorithm, Environment, Limits } from "@/api/types";
import { type ExperimentDraft, type Offer, offerIn, type Place } from "./draft";
import { readDraft } from "./specification";

const preset = (id: string, title: string, end_step: number, every_steps?: number) => ({
  ...{ id, title, end_step, evaluation: every_steps ? { every_steps } : null },
  ...{ total_timesteps: end_step - 100, hyperparameters: {} },
});
export const schema = (name: string, type: string, changes: object = {}) => ({
  ...{ name, type, default: 1, nullable: false, choices: null, help: "", needs: null },
  ...changes,
});
const hyperparameters = [
  schema("gamma", "number", { minimum: 0, maximum: 1 }),
  schema("n_steps", "integer"),
  schema("net_arch", "array", { default: [64, 64] }),
  schema("activation", "string", { default: "tanh", choices: ["tanh", "relu"] }),
  schema("slope", "number"),
  schema("use_sde", "boolean", { default: false, needs: "continuous-actions" }),
];
const search = [
  {
    name: "gamma",
    parameter: { kind: "float", low: 0.9, high: 0.999, log: false, step: null },
    source: "RL Zoo",
  },
  { name: "net_arch", parameter: { kind: "choice", choices: [[64], [64, 64]] }, source: "" },
  { name: "activation", parameter: { kind: "choice", choices: ["tanh", "relu"] }, source: "" },
  {
    name: "slope",
    parameter: { kind: "int", low: 1, high: 8, log: true, step: 1, when: { activation: ["relu"] } },
    source: "",
  },
  { name: "use_sde", parameter: { kind: "choice", choices: [false, true] }, source: "" },
];
const algorithm = (id: string, actor = "policy") =>
  ({
    ...{ id, name: id.toUpperCase(), actor, hyperparameters, search },
    ...{ presets: [preset("fast", "Fast", 1_000)], imitates: id === "ppo" },
  }) as unknown as Algorithm;
export const algorithms = [
  algorithm("ppo"),
  algorithm("dqn"),
  algorithm("sac"),
  algorithm("random", "random"),
];
const environment = (id: string, presets: Record<string, object[]>) =>
  ({
    ...{ id, presets, variants: [], options: [], available: true },
    ...{ world: null, reward_components: [] },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
    algorithms: [...Object.keys(presets), "random"],
  }) as unknown as Environment;
export const environments = [
  environment("CartPole-v1", {
    ppo: [preset("fast", "Fast", 40_960), preset("stable", "Stable", 100_000)],
    dqn: [preset("fast", "Fast", 50_000, 2_000), preset("own-mine", "Mine", 7_000)],
  }),
  environment("Pendulum-v1", {
    ppo: [preset("stable", "Stable", 100_000)],
    sac: [preset("fast", "Fast", 10_000)],
  }),
];
export const limits = {
  ...{ coverage: { minimum: 0, maximum: 100, default: 0.1 } },
  ...{ novelty: { minimum: 0, maximum: 10, default: 0.5 } },
  ...{ archive: { minimum: 0, maximum: 1, default: 0.3 } },
  ...{ imitation: { minimum: 1, maximum: 100, default: 10 } },
  ...{ reward_weight: { minimum: -100, maximum: 100 }, reward_cap: { minimum: 0, maximum: 1e6 } },
  ...{ total_timesteps: { minimum: 100, maximum: 10_000_000 } },
  ...{ sweep_trials: { minimum: 1, maximum: 1_000 }, sweep_seeds: { minimum: 1, maximum: 20 } },
  ...{ scored_episodes: { minimum: 1, maximum: 1_000, default: 20 } },
  ...{ experiment_seeds: { minimum: 1, maximum: 1_000 }, seed: { minimum: 0, maximum: 10_000 } },
  ...{ experiment_parallel: { minimum: 1, maximum: 256 } },
  ...{ experiment_retries: { minimum: 1, maximum: 10, default: 1 } },
  ...{ periodic_every_steps: { minimum: 100, maximum: 10_000_000 } },
} as unknown as Limits;
export const read = (draft: ExperimentDraft, offer: Offer) => readDraft(draft, offer, limits);
export const place = (env: string): Place => ({ env, options: {} });
export const offerAt = (...places: Place[]) => offerIn(environments, algorithms, places);
export const cartpole = offerAt(place("CartPole-v1"));
export const pendulum = offerAt(place("Pendulum-v1"));
