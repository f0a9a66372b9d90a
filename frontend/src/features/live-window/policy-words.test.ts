import { expect, test } from "vitest";
import { policyWords } from "./policy-words";

const policy = { step: 12_288, since: 1000 };

test.each([
  ["running", 2400, "Plays the policy of step 12,288, 1.4 s old"],
  ["running", 26_000, "Plays the policy of step 12,288, 25 s old"],
  ["completed", 26_000, "Plays the final policy, of step 12,288"],
] as const)("of a %s run at %d ms", (status, now, words) =>
  expect(policyWords({ status }, { policy }, now)).toBe(words),
);

test("nothing is said before it is known", () =>
  expect(policyWords({ status: "running" }, { policy: null }, 0)).toBe(""));
