import { expect, test } from "vitest";
import { framesHashed, loweredText, recordingCostText, storageText } from "./storage";
import type { Health } from "./types";

const profile: Health["storage"][string] = {
  ...{ title: "Box2D", detail: "standard", frames_every: 8, pictures: true, max_bytes: 200e6 },
  ...{ keep_frames_every: 100, keep_frames_bytes: 20e6, most_cost: 0.25 },
  ...{ most_cost_in_training: 0.02, keeps: {} },
};

test.each([
  [{}, "standard · what the agent saw · 200 MB of records and 20 MB of frames a run"],
  [{ detail: "full", pictures: false }, "full · 200 MB of records and 20 MB of frames a run"],
  [{ keep_frames_bytes: 0, pictures: false, max_bytes: 2e9 }, "standard · 2 GB a run"],
  [{ detail: "off" }, "off"],
] as const)("with %j what is kept is: %s", (change, words) =>
  expect(storageText({ ...profile, ...change })).toBe(words),
);

test.each([
  [1, "every frame"],
  [8, "one frame in 8, and the last of each episode"],
  [1_000_000, "the last of each episode"],
])("one frame in %d: %s", (every, words) => expect(framesHashed(every)).toBe(words));

test("the cost of recording and the reason for a lower detail are shown if known", () => {
  expect(recordingCostText(null)).toBe("");
  expect(recordingCostText(0.064)).toBe(", which took 6% of the time");
  expect(loweredText({ before: "full", after: "standard", cost: 0.41, most: 0.25 })).toBe(
    "Lowered to standard from full automatically: recording took 41% of the time; at most 25% is allowed.",
  );
});
