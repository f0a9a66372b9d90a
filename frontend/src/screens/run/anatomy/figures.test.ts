import { expect, test } from "vitest";
import type { Environment, UpdateAnatomy } from "@/api/types";
import { figuresOf, layerLabel } from "./density";

const histogram = { low: -0.5, high: 1.5, counts: [1, 2], mean: 0.6, std: 0.5 };
const update = { seq: 1, time: 1, step: 8, actions: [histogram] } as UpdateAnatomy;

const actionsOf = (action_space: object) =>
  figuresOf([update], { action_space } as Environment).find(({ id }) => id === "action-0");

test.each([
  ["by name", { kind: "Discrete", n: 2, labels: ["left", "right"] }, ["left", "right"]],
  ["by number where nobody named them", { kind: "Discrete", n: 2, labels: [] }, ["0", "1"]],
  ["as numbers where there are too many", { kind: "Discrete", n: 90, labels: [] }, undefined],
  ["as numbers where they are continuous", { kind: "Box", n: null, labels: ["torque"] }, undefined],
])("actions are shown %s", (_, space, names) => {
  expect(actionsOf(space)?.names).toEqual(names);
  const says = space.kind === "Box" ? /clipped to the action bounds/ : /One action near 100 %/;
  expect(actionsOf(space)?.help).toMatch(says);
});

test("each choice of an action has its values by number and its name", () => {
  const levers = { kind: "MultiDiscrete", n: 6, counts: [3, 2], labels: ["hoist", ""] };
  const both = { ...update, actions: [histogram, histogram] };
  const found = figuresOf([both], { action_space: levers } as Environment);
  expect(found.map(({ title, names }) => [title, names])).toEqual([
    ["Action: hoist", ["0", "1", "2"]],
    ["Action: component 1", ["0", "1"]],
  ]);
  expect(found[0]?.help).not.toMatch(/clipped/);
});

test("a figure without updates is left out", () => {
  expect(figuresOf([update], undefined).map(({ id }) => id)).toEqual(["action-0"]);
});

test("a layer is named by its distinguishing part", () => {
  expect(layerLabel("mlp_extractor.policy_net.0.weight")).toBe("policy net · 0");
});
