import { expect, test } from "vitest";
import {
  arrange,
  type ChartLayout,
  placeAt,
  readLayouts,
  resized,
  toggleHidden,
  USUAL_LAYOUT,
  usualSize,
} from "./chart-layout";

const layout = (change: Partial<ChartLayout>): ChartLayout => ({ ...USUAL_LAYOUT, ...change });

test("charts are in the chosen order, with new ones after their usual predecessor", () => {
  const chosen = layout({ order: ["loss", "return"] });
  expect(arrange(["return", "loss"], chosen)).toEqual(["loss", "return"]);
  expect(arrange(["return", "length", "loss", "entropy"], chosen)).toEqual([
    "loss",
    "entropy",
    "return",
    "length",
  ]);
  expect(arrange(["new", "return"], chosen)).toEqual(["new", "return"]);
  expect(arrange(["return"], chosen)).toEqual(["return"]);
});

test("a chart moves to the position of another one", () => {
  const ids = ["a", "b", "c", "d"];
  expect(placeAt(USUAL_LAYOUT, ids, "d", "b").order).toEqual(["a", "d", "b", "c"]);
  expect(placeAt(USUAL_LAYOUT, ids, "a", "c").order).toEqual(["b", "c", "a", "d"]);
  expect(placeAt(USUAL_LAYOUT, ids, "a", "a")).toBe(USUAL_LAYOUT);
});

test("a chart is hidden and shown again", () => {
  const hidden = toggleHidden(USUAL_LAYOUT, "a");
  expect(hidden.hidden).toEqual(["a"]);
  expect(toggleHidden(hidden, "a").hidden).toEqual([]);
});

test("sizes are limited", () => {
  expect(resized("small", 1)).toBe("medium");
  expect(resized("small", -1)).toBeNull();
  expect(resized("large", 1)).toBeNull();
});

test("an invalid stored layout is replaced by the default", () => {
  expect(readLayouts("x")).toBeNull();
  expect(
    readLayouts({ ppo: { order: [1, "a"], hidden: 7, sizes: { a: "huge", b: "large" } } }),
  ).toEqual({
    ppo: { order: ["a"], hidden: [], sizes: { b: "large" } },
  });
  expect(readLayouts({ ppo: null })).toEqual({ ppo: USUAL_LAYOUT });
});

test.each([
  [1, "large"],
  [2, "medium medium"],
  [3, "small small small"],
  [4, "medium medium medium medium"],
  [5, "small small small medium medium"],
  [7, "small small small medium medium medium medium"],
] as const)("%d charts fill their rows", (count, sizes) => {
  const found = Array.from({ length: count }, (_, place) => usualSize(place, count));
  expect(found.join(" ")).toBe(sizes);
});
