import { expect, test } from "vitest";
import type { EvaluatedEpisode } from "@/lib/api";
import { episodeAt, startOf } from "./episodes";

const episodes = [0, 100, 250].map((first_frame) => ({ first_frame }) as EvaluatedEpisode);

test.each([
  [0, 0],
  [1.98, 0],
  [2, 1],
  [1.995, 1],
  [4.9, 1],
  [5, 2],
  [999, 2],
])("at %d s, with 50 frames a second, episode %d plays", (time, position) => {
  expect(episodeAt(episodes, time, 50)).toBe(position);
});

test("an episode starts at its first frame", () => {
  expect(startOf(episodes[1], 50)).toBe(2);
  expect(startOf(undefined, 50)).toBe(0);
  expect(startOf(episodes[1], 0)).toBe(0);
});
