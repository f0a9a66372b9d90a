import { expect, test } from "vitest";
import { LISTED, parseSeeds, seedFor, seedsWanted } from "./seed-choice";

test.each([
  ["1, 2, 5", [1, 2, 5]],
  ["7", [7]],
  [" 3 1\n2,", [3, 1, 2]],
])("the list %j has these seeds, in its order", (text, seeds) =>
  expect(parseSeeds(text)).toEqual({ ok: true, value: seeds }),
);

test.each([
  ["", /separated by commas/],
  ["1, 2, 1", /Seed 1 is listed twice/],
  ["1, two", /two: enter a whole number/],
  ["1, 99", /99: must be 0 to 10/],
  ["99999999999999999999", /: must be 0 to 10/],
  ["1 2 3 4", /3 seeds at most; these are 4/],
])("the list %j is refused with a reason", (text, problem) => {
  const parsed = parseSeeds(text, { minimum: 0, maximum: 10 }, 3);
  expect(parsed).toEqual({ ok: false, problem: expect.stringMatching(problem) });
});

test("a seed that would lose digits is refused even without bounds", () => {
  const parsed = parseSeeds("99999999999999999999");
  expect(parsed).toMatchObject({ ok: false, problem: expect.stringMatching(/fewer digits/) });
});

test("a list determines the number of runs and replaces the first seed", () => {
  expect(seedsWanted({ seed: "4, 5, 6", seeds: LISTED })).toBe(3);
  expect(seedsWanted({ seed: "4", seeds: 5 })).toBe(5);
  expect(seedFor(3, "4, 5, 6")).toBe("4");
  expect(seedFor(LISTED, "4")).toBe("4");
});
