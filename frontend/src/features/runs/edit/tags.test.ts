import { expect, test } from "vitest";
import { addTags } from "./tags";

test.each([
  ["baseline", ["a", "baseline"]],
  [" b , c,", ["a", "b", "c"]],
  ["a", ["a"]],
  [" , ", ["a"]],
  ["x".repeat(50), ["a", "x".repeat(40)]],
])("typing %j gives %j", (typed, tags) => expect(addTags(["a"], typed)).toEqual(tags));

test("a run carries at most twenty", () => {
  const many = Array.from({ length: 30 }, (_, i) => `t${i}`).join(",");
  expect(addTags(["a"], many)).toHaveLength(20);
});
