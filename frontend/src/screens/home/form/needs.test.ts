import { expect, test } from "vitest";
import type { Hyperparameter } from "@/api/types";
import { changeDraft, type Draft, firstDraft, schemasOf } from "./draft";
import { choices } from "./fixtures";
import { submission } from "./submit";

const names = (draft: Draft, offered = needy) =>
  schemasOf(offered, draft, "hyperparameters").map(({ name }) => name);
const needs = { normalize_observations: "real-observations", use_sde: "continuous-actions" };
const needy = {
  ...choices,
  algorithms: choices.algorithms.map((algorithm) => ({
    ...algorithm,
    hyperparameters: algorithm.hyperparameters.map((schema, i) => {
      const [name, need] = Object.entries(needs)[i] ?? [];
      return name ? ({ ...schema, name, needs: need } as Hyperparameter) : schema;
    }),
  })),
};
const pictures = {
  ...needy,
  environments: needy.environments.map((environment) => ({
    ...environment,
    observation_space: { ...environment.observation_space, is_real: false },
  })),
};

test("hyperparameters without effect in an environment are neither offered nor sent", () => {
  const cart = firstDraft(needy);
  expect(names(cart)).toEqual(["normalize_observations", "target_kl", "net_arch", "schedule"]);
  expect(names(cart, pictures)).toEqual(["target_kl", "net_arch", "schedule"]);
  const swing = changeDraft(needy, cart, { field: "env", value: "Pendulum-v1" });
  expect(names(swing)).toContain("use_sde");
  const typed = changeDraft(needy, swing, {
    field: "hyperparameters",
    name: "use_sde",
    value: "4",
  });
  const back = changeDraft(needy, typed, { field: "env", value: "CartPole-v1" });
  expect(submission(needy, back).body?.hyperparameters).not.toHaveProperty("use_sde");
});
