import type { PolicyReading } from "@/api/types";
import type { DrawnSpace } from "./space";

/** Spaces of actions, and readings of policies, for tests. */
export const push: DrawnSpace = { kind: "Discrete", n: 2, labels: ["push left", "push right"] };
export const torque: DrawnSpace = {
  ...{ kind: "Box", shape: [1], labels: ["torque"], low: [-2], high: [2] },
};
export const levers: DrawnSpace = {
  ...{ kind: "MultiDiscrete", shape: [2], n: 6, counts: [3, 2], labels: ["hoist", "brake"] },
};
export const bits: DrawnSpace = { kind: "MultiBinary", shape: [2], labels: [] };

export const reading = (change: Partial<PolicyReading>): PolicyReading => ({
  ...{ value: null, probabilities: null, mean: null, deviation: null, squashed: false },
  ...{ q_values: null, action_value: null, quantiles: null, places: null },
  ...change,
});
