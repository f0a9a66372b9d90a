import { expect, test } from "vitest";
import type { Controls } from "@/api/types";
import { triedActions } from "./futures";

const controls = (neutral: (number | null)[], ...values: [string, number, number][]): Controls => ({
  bindings: values.map(([label, value, component]) => ({ keys: [label], value, component, label })),
  ...{ neutral, is_continuous: false, rise_seconds: 0.25, fall_seconds: 0.15 },
});

test("each discrete action can be tried once, by name also without a key", () => {
  const space = { kind: "Discrete", shape: [], n: 3, labels: ["coast", "left", "up"] };
  const keys = controls([0], ["left", 1, 0], ["up", 2, 0], ["left", 1, 0]);
  expect(triedActions(keys, space)).toEqual([
    { label: "left", value: 1 },
    { label: "up", value: 2 },
    { label: "coast", value: 0 },
  ]);
});

test("one number is tried while the others stay neutral", () =>
  expect(
    triedActions(controls([0, null], ["steer", -1, 0], ["gas", 1, 1]), { kind: "Box", shape: [2] }),
  ).toEqual([
    { label: "steer", value: [-1, 0] },
    { label: "gas", value: [0, 1] },
  ]));
