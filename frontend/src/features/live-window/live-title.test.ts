import { expect, test } from "vitest";
import { liveMeta, liveTitle } from "./live-title";

const policy = { step: 12_288, since: 1_000 };

test("the title says of which step the policy is", () => {
  expect(liveTitle({ status: "running" }, { policy })).toBe("Policy of step 12,288");
  expect(liveTitle({ status: "completed" }, { policy })).toBe("Final policy, step 12,288");
  expect(liveTitle({ status: "running" }, { policy: null })).toBe("Newest policy");
});

test("the policy of a run that is paused or was interrupted is not the final one", () => {
  expect(liveTitle({ status: "interrupted" }, { policy })).toBe("Policy of step 12,288");
  expect(liveTitle({ status: "paused" }, { policy })).toBe("Policy of step 12,288");
  expect(liveTitle({ status: "paused" }, { policy: null })).toBe("Newest policy");
});

test("the rest of the line says how old it is, on which seed it plays and who acts", () => {
  const state = { policy, seed: 4_711, actor: "policy", greedy: true } as const;
  expect(liveMeta({ status: "running" }, state, 2_400)).toBe("1.4 s old · seed 4,711 · greedy");
  expect(liveMeta({ status: "running" }, state, 43_400)).toMatch(/^42 s old/);
  expect(liveMeta({ status: "stopped" }, { ...state, greedy: false }, 2_400)).toBe(
    "seed 4,711 · exploring",
  );
  expect(liveMeta({ status: "stopped" }, { ...state, actor: "person" }, 0)).toMatch(/you play$/);
  expect(liveMeta({ status: "running" }, { ...state, actor: null }, 0)).toBe("");
});
