import { expect, test } from "vitest";
import { domainOf, linearTicks } from "./figure-scale";

const labels = (low: number, high: number) => linearTicks([low, high]).map(({ label }) => label);

test("ticks are at round values within the domain", () => {
  expect(labels(-1500, -120)).toEqual(["-1.5k", "-1k", "-500"]);
  expect(labels(0, 1)).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  expect(labels(0.9, 0.999)).toEqual(["0.90", "0.92", "0.94", "0.96", "0.98"]);
  expect(labels(0, 0.12)).toEqual(["0", "0.025", "0.050", "0.075", "0.100"]);
  expect(labels(3, 3)).toEqual(["3"]);
});

test("tick labels are distinct, however close to each other and far from zero", () => {
  expect(labels(-1188, -1175)).toEqual(["-1,185", "-1,180", "-1,175"]);
  expect(labels(-1200, -1150)).toEqual(["-1.2k", "-1.19k", "-1.18k", "-1.17k", "-1.16k", "-1.15k"]);
  expect(labels(1e6, 1.01e6)).toEqual(["1M", "1.002M", "1.004M", "1.006M", "1.008M", "1.01M"]);
  for (const span of [2, 3, 7, 12, 40, 90, 260, 1e3, 5e4])
    for (const low of [-1188.4, 995, 12_345, 999_990, 7_654_321, -3e9]) {
      const ticks = linearTicks([low, low + span]);
      expect(new Set(ticks.map(({ label }) => label)).size, `${low} to ${span} more`).toBe(
        ticks.length,
      );
    }
});

test("a domain has a margin around its data", () => {
  expect(domainOf([0, 10], 0.1)).toEqual([-1, 11]);
  expect(domainOf([5], 0.1)).toEqual([4.5, 5.5]);
  expect(domainOf([])).toEqual([0, 1]);
});
