import { expect, test } from "vitest";
import { addTags } from "./edit-run";

test.each([
  ["baseline", ["a", "baseline"]],
  [" b , c,", ["a", "b", "c"]],
  ["a", ["a"]],
  [" , ", ["a"]],
])("typing %j gives %j", (typed, tags) => expect(addTags(["a"], typed)).toEqual(tags));
