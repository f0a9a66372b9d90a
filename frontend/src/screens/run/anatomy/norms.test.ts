import { expect, test } from "vitest";
import type { UpdateAnatomy } from "@/api/types";
import { normsOf } from "./anatomy-panel";

const updates = (...norms: (number | null)[]) =>
  norms.map((gradient_norm, step) => ({ step, gradient_norm }) as UpdateAnatomy);
const norm = ({ gradient_norm }: UpdateAnatomy) => gradient_norm;

test("norms are drawn by order of magnitude, from the least to the greatest", () => {
  const { low, high, heights } = normsOf(updates(0.01, null, 1, 100), norm)!;
  expect([low, high]).toEqual([0.01, 100]);
  expect(heights).toEqual([0, null, expect.closeTo(0.5), 1]);
});

test("a vanished gradient is at the bottom", () =>
  expect(normsOf(updates(0, 1, 10), norm)).toMatchObject({ low: 1, heights: [0, 0, 1] }));

test("identical norms are in the middle and missing ones give no picture", () => {
  expect(normsOf(updates(0.5, 0.5), norm)!.heights).toEqual([0.5, 0.5]);
  expect(normsOf(updates(null), norm)).toBeNull();
});
