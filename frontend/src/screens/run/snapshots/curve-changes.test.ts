import { expect, test } from "vitest";
import type { ForkChanges, RunConfig, RunKnob } from "@/api/types";
import { curveChanges, forkWith } from "./curve-changes";

const knob = (name: string, label: string, limits: Partial<RunKnob> = {}) =>
  ({ name, label, minimum: 0, maximum: 1, excludes_minimum: true, ...limits }) as RunKnob;
const KNOBS = [knob("learning_rate", "learning rate"), knob("clip_range", "clip range")];
const config = (hyperparameters: object) => ({ hyperparameters }) as RunConfig;
const fits = (...names: string[]): ForkChanges["changes"] =>
  names.map((name) => ({ name, effect: "fits", why: null, note: null }));

test("each live hyperparameter can be halved and doubled, with both values shown", () => {
  const found = curveChanges(config({ learning_rate: 0.0003, clip_range: 0.2 }), KNOBS, {
    changes: fits("learning_rate", "clip_range"),
    in_force: {},
  });
  expect(found.map(({ label, values }) => `${label}: ${values}`)).toEqual([
    "Halve the learning rate: 0.0003 → 0.00015",
    "Double the learning rate: 0.0003 → 0.0006",
    "Halve the clip range: 0.2 → 0.1",
    "Double the clip range: 0.2 → 0.4",
  ]);
});

test("the value at that step applies if it was changed during training", () => {
  const found = curveChanges(config({ learning_rate: 0.1 }), KNOBS, {
    changes: fits("learning_rate"),
    in_force: { learning_rate: 0.02 },
  });
  expect(found.map(({ value }) => value)).toEqual([0.01, 0.04]);
});

test("changes excluded by bounds, tuning, zero or the fork are not offered", () => {
  const all = { changes: fits("learning_rate", "clip_range"), in_force: {} };
  expect(
    curveChanges(config({ learning_rate: 0.8 }), KNOBS, all).map(({ label }) => label),
  ).toEqual(["Halve the learning rate"]);
  expect(curveChanges(config({ learning_rate: 0 }), KNOBS, all)).toEqual([]);
  expect(curveChanges(config({ learning_rate: null }), KNOBS, all)).toEqual([]);
  expect(
    curveChanges(config({ learning_rate: 0.1 }), KNOBS, { changes: [], in_force: {} }),
  ).toEqual([]);
});

test("the fork trains as long as its parent, and longer if it starts at the end", () => {
  const run = { name: "Pole", total_timesteps: 1000 };
  const change = { label: "", values: "", name: "learning_rate", value: 0.5 };
  expect(forkWith(run, change, 400, 512, undefined)).toEqual({
    step: 400,
    hyperparameters: { learning_rate: 0.5 },
    total_timesteps: 1000,
    name: "Pole, learning_rate 0.5",
    start: true,
  });
  expect(forkWith(run, change, 1000, 1000, 4)).toMatchObject({
    total_timesteps: 2000,
    name: "Pole",
  });
});
