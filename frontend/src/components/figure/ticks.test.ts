import { expect, test } from "vitest";
import { domainOf, linearTicks } from "./ticks";

const labels = (low: number, high: number) => linearTicks([low, high]).map(({ label }) => label);

test("ticks stand at round values within the domain", () => {
  expect(labels(-1500, -120)).toEqual(["-1.5k", "-1k", "-500"]);
  expect(labels(0, 1)).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  expect(labels(0.9, 0.999)).toEqual(["0.90", "0.92", "0.94", "0.96", "0.98"]);
  expect(labels(0, 0.12)).toEqual(["0", "0.025", "0.050", "0.075", "0.100"]);
  expect(labels(3, 3)).toEqual(["3"]);
});

test("a domain leaves room around what it has to show", () => {
  expect(domainOf([0, 10], 0.1)).toEqual([-1, 11]);
  expect(domainOf([5], 0.1)).toEqual([4.5, 5.5]);
  expect(domainOf([])).toEqual([0, 1]);
});
