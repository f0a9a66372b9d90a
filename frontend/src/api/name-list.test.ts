import { expect, test } from "vitest";
import { joinNames } from "./run-files";

test("names are joined so that each is recognisable", () => {
  expect(joinNames(["train/loss", "rollout/ep_rew_mean"])).toBe("train/loss,rollout/ep_rew_mean");
  expect(joinNames(["a,b", " padded ", "back\\slash", "end\\", "\\,"])).toBe(
    "a\\,b,\\ padded\\ ,back\\slash,end\\\\,\\\\\\,",
  );
});
