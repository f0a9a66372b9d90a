import { expect, test } from "vitest";
import { shareOf } from "./judged";

const evaluation = (run_id: string, episodes: number) => ({
  ...{ run_id, episodes, evaluation_id: "e", checkpoint_step: 1 },
});

test("the share of a run counts all its episodes, and excludes other runs", () => {
  const evaluations = [evaluation("a", 10), evaluation("b", 4), evaluation("a", 30)];
  const ending = { shares: [1, 0.5, 0.2] };
  expect(shareOf("a", ending, evaluations)).toEqual({ share: 0.4, shares: [1, 0.2] });
  expect(shareOf("b", ending, evaluations)).toEqual({ share: 0.5, shares: [0.5] });
});

test("a run without recorded episodes has no share", () => {
  expect(shareOf("c", { shares: [1, 0] }, [evaluation("a", 3), evaluation("c", 0)])).toEqual({
    share: null,
    shares: [],
  });
});
