import { expect, test } from "vitest";
import { keyStep, movedItem } from "./order";

const order = ["a", "b", "c"];

test("an item moves to the position of another one or by an offset", () => {
  expect(movedItem(order, "a", "c")).toEqual(["b", "c", "a"]);
  expect(movedItem(order, "c", "a")).toEqual(["c", "a", "b"]);
  expect(movedItem(order, "b", { by: 1 })).toEqual(["a", "c", "b"]);
});

test("an impossible move leaves the order unchanged", () => {
  expect(movedItem(order, "a", { by: -1 })).toBe(order);
  expect(movedItem(order, "c", { by: 1 })).toBe(order);
  expect(movedItem(order, "a", "a")).toBe(order);
  expect(movedItem(order, "x", "a")).toBe(order);
  expect(movedItem(order, "a", "x")).toBe(order);
});

test("arrow keys move by one position, Home and End to the ends", () => {
  const keys = ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Home", "End", "x"];
  expect(keys.map((key) => keyStep(key, 1, 4))).toEqual([-1, -1, 1, 1, -1, 2, null]);
});
