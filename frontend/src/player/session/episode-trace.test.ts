import { expect, test } from "vitest";
import { EpisodeTrace, MOST_RECORDS } from "./episode-trace";
import { recordOf } from "./testing";

const indices = (trace: EpisodeTrace) => trace.records.map(({ index }) => index);

test("an episode ends with its last step", () => {
  const trace = new EpisodeTrace(0);
  trace.add(recordOf(0));
  expect(trace.isOver).toBe(false);
  trace.add(recordOf(1, { truncated: true }));
  expect(trace.isOver).toBe(true);
});

test("an endless episode keeps its newest steps", () => {
  const trace = new EpisodeTrace(0);
  for (let index = 0; index < 3 * MOST_RECORDS; index += 1) trace.add(recordOf(index));
  expect(trace.records.length).toBeLessThanOrEqual(1.1 * MOST_RECORDS);
  expect(trace.recordAt(3 * MOST_RECORDS - 1)?.index).toBe(3 * MOST_RECORDS - 1);
  expect(trace.recordAt(0)).toBeNull();
});

test("an undone step removes all later ones", () => {
  const trace = new EpisodeTrace(0);
  for (const index of [0, 1, 2, 3]) trace.add(recordOf(index));
  trace.keepFrame(3, new Blob(["3"]));
  trace.add(recordOf(2, { reward: 9 }));
  expect([indices(trace), trace.recordAt(2)?.reward, trace.frame(3)]).toEqual([[0, 1, 2], 9, null]);
});

test("the oldest frames are dropped beyond the memory limit", () => {
  const trace = new EpisodeTrace(0);
  const large = new Blob([new Uint8Array(5_000_000)]);
  for (const index of [0, 1, 2]) trace.keepFrame(index, large);
  expect([0, 1, 2].map((index) => trace.frame(index) !== null)).toEqual([false, true, true]);
});
