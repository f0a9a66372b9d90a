import { expect, test } from "vitest";
import { whatWasSaved } from "./what-was-saved";

const best_policy = { step: 800, mean_return: 1, std_return: 0, episodes: 10 };

test.each([
  [
    { step: 0, policy_step: null, best_policy: null },
    "It ended before its first step: nothing was saved.",
  ],
  [
    { step: 1234, policy_step: null, best_policy: null },
    "Saved: the curves up to step 1,234. It ended before a policy was saved.",
  ],
  [
    { step: 1234, policy_step: 1000, best_policy: null },
    "Saved: the curves up to step 1,234 and the policy of step 1,000.",
  ],
  [
    { step: 1234, policy_step: 1000, best_policy },
    "Saved: the curves up to step 1,234, the policy of step 1,000 and the best policy, of step 800.",
  ],
])("of %j: %s", (run, text) => expect(whatWasSaved({ status: "interrupted", ...run })).toBe(text));
