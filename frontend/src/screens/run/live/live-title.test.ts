import { expect, test } from "vitest";
import { liveMeta, liveTitle } from "./live-window";

const policy = { step: 12_288, since: 1_000 };

test("the title names the step of the policy", () => {
  expect(liveTitle({ status: "running" }, { policy })).toBe("Policy of step 12,288");
  expect(liveTitle({ status: "completed" }, { policy })).toBe("Final policy, step 12,288");
  expect(liveTitle({ status: "running" }, { policy: null })).toBe("Newest policy");
});

test("the policy of a paused or interrupted run is not called final", () => {
  expect(liveTitle({ status: "interrupted" }, { policy })).toBe("Policy of step 12,288");
  expect(liveTitle({ status: "paused" }, { policy })).toBe("Policy of step 12,288");
  expect(liveTitle({ status: "paused" }, { policy: null })).toBe("Newest policy");
});

test("the rest of the line shows the age of the policy, the seed and who acts", () => {
  const state = { policy, seed: 4_711, actor: "policy", greedy: true } as const;
  expect(liveMeta({ status: "running", update_seconds: 0.1 }, state, 2_400)).toBe(
    "1.4 s old · seed 4,711 · greedy",
  );
  expect(liveMeta({ status: "running", update_seconds: 0.1 }, state, 43_400)).toMatch(/^42 s old/);
  expect(
    liveMeta({ status: "stopped", update_seconds: null }, { ...state, greedy: false }, 2_400),
  ).toBe("seed 4,711 · exploring");
  expect(
    liveMeta({ status: "stopped", update_seconds: null }, { ...state, actor: "person" }, 0),
  ).toMatch(/you play$/);
  expect(liveMeta({ status: "running", update_seconds: 0.1 }, { ...state, actor: null }, 0)).toBe(
    "",
  );
});

test("during a long update it says why the policy is not refreshed", () => {
  const state = { policy, seed: 1, actor: "policy", greedy: true } as const;
  const run = { status: "running", update_seconds: 108.2 } as const;
  expect(liveMeta(run, state, 31_000)).toMatch(/^30 s old, as an update takes 108 s · /);
  expect(liveMeta(run, state, 1_900)).toMatch(/^0\.9 s old · /);
});
