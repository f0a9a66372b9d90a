import { count } from "@/lib/number";
import { type Fact, numberOf, type Values } from "../../guide/guide";

/** Rollout size, number of rollouts and gradient steps that follow from a preset's values. */
export function ppoFacts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 2048);
  const epochs = numberOf(values, "n_epochs", 10);
  const rollout = environments * steps;
  const minibatches = Math.ceil(rollout / numberOf(values, "batch_size", 64));
  const updates = Math.ceil(totalTimesteps / rollout);
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${count(steps)} steps` },
    { label: "Rollouts", value: count(updates), note: `in ${count(totalTimesteps)} steps` },
    {
      label: "Gradient steps each",
      value: count(epochs * minibatches),
      note: `${epochs} × ${count(minibatches)} minibatches`,
    },
    { label: "Each step is used", value: `${epochs} ×`, note: "then thrown away" },
  ];
}
