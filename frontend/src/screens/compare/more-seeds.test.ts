import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { aRun } from "./fixtures";
import { groupsOfFewSeeds, moreSeeds } from "./more-seeds";

const run = (id: string, group: string, change = {}) => aRun(id, { group_id: group, ...change });
const group = (name: string, seeds: number) =>
  Array.from({ length: seeds }, (_, seed) => run(`${name}${seed}`, name));
const a = group("a", 5);
const b = group("b", 5);

/** What brings `compared` to five seeds of each, where `found` are the runs that there are. */
function wanting(compared: Run[], found: Run[], most = 100) {
  const chosen = compared.map(({ id }) => id);
  return moreSeeds(groupsOfFewSeeds(compared, 5), found, { chosen, enough: 5, most });
}

test("uncompared seeds of complete groups are added and none is trained", () => {
  expect(wanting([a[0]!, b[0]!], [...a, ...b])).toEqual({
    there: ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"],
    lacking: [],
  });
});

test("incomplete groups need the seeds that they do not have, compared or not", () => {
  const three = a.slice(0, 3);
  const two = b.slice(0, 2);
  const lacking = [
    { runId: "a0", count: 2 },
    { runId: "b0", count: 3 },
  ];
  expect(wanting([a[0]!, b[0]!], [...three, ...two])).toEqual({
    there: ["a1", "a2", "b1"],
    lacking,
  });
  expect(wanting([...three, ...two], [...three, ...two])).toEqual({ there: [], lacking });
});

test("a run without a group is missing all other seeds", () => {
  const alone = run("c", "c");
  expect(wanting([alone, a[0]!], [alone, ...a])).toEqual({
    there: ["a1", "a2", "a3", "a4"],
    lacking: [{ runId: "c", count: 4 }],
  });
});

test("a group with enough compared seeds needs no more", () => {
  const six = group("a", 6);
  const two = b.slice(0, 2);
  expect(wanting([...six.slice(0, 5), b[0]!], [...six, ...two])).toEqual({
    there: ["b1"],
    lacking: [{ runId: "b0", count: 3 }],
  });
  expect(groupsOfFewSeeds([...a, ...b], 5)).toEqual([]);
});

test("training, queued and paused seeds count; interrupted and unstarted ones do not", () => {
  const statuses = ["running", "queued", "paused", "failed", "interrupted", "stopped", "created"];
  const others = statuses.map((status) => run(status, "a", { status }));
  expect(wanting([a[0]!, ...b], [a[0]!, ...others, ...b])).toEqual({
    there: ["running", "queued", "paused"],
    lacking: [{ runId: "a0", count: 1 }],
  });
});

test("a compared run counts even if it was stopped, unless it failed", () => {
  const stopped = run("stopped", "a", { status: "stopped" });
  const failed = run("failed", "b", { status: "failed" });
  expect(wanting([stopped, failed], [stopped, failed]).lacking).toEqual([
    { runId: "stopped", count: 4 },
    { runId: "failed", count: 5 },
  ]);
});

test("selected runs that are still loading are neither added nor trained again", () => {
  const chosen = [...a, ...b].map(({ id }) => id);
  const few = groupsOfFewSeeds([a[0]!, b[0]!], 5);
  expect(moreSeeds(few, [...a, ...b], { chosen, enough: 5, most: 100 })).toEqual({
    there: [],
    lacking: [],
  });
});

test("seeds are added up to the limit, as evenly as possible", () => {
  expect(wanting([a[0]!, b[0]!], [...a, ...b.slice(0, 2)], 5).there).toEqual(["a1", "a2", "b1"]);
  expect(wanting([a[0]!, b[0]!], [...a, ...b], 2)).toEqual({ there: [], lacking: [] });
});

test("seeds of a single group are not compared", () => {
  expect(groupsOfFewSeeds(a.slice(0, 2), 5)).toEqual([]);
});

test("a run that cannot be repeated with another seed needs none, but its existing seeds are added", () => {
  const forked = run("f", "f", { parent: { run_id: "x", snapshot: "s", step: 1 } });
  const foreign = ["g0", "g1"].map((id) => run(id, "g", { actor: "foreign" }));
  expect(wanting([forked, foreign[0]!, b[0]!], [forked, ...foreign, b[0]!])).toEqual({
    there: ["g1"],
    lacking: [{ runId: "b0", count: 4 }],
  });
});
