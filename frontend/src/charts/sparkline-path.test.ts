import { expect, test } from "vitest";
import { sparklinePath, sparklinePaths } from "./sparkline";

test.each([
  ["nothing", [], ""],
  ["a single value", [5], ""],
  ["a rise", [0, 10], "M1 9L19 1"],
  ["equal values", [3, 3, 3], "M1 5L10 5L19 5"],
  ["negative values", [-200, -100, -150], "M1 9L10 1L19 5"],
])("the outline of %s", (_, values, path) => expect(sparklinePath(values, 20, 10, 2)).toBe(path));

test("several lines share one scale, and one without values has no outline", () =>
  expect(sparklinePaths([[0, 10], [], [10, 5]], 20, 10, 2)).toEqual([
    "M1 9L19 1",
    "",
    "M1 1L19 5",
  ]));
