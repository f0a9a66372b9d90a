import { describe, expect, test } from "vitest";
import { changeSelection, NOTHING, type Selection, span } from "./selection";

describe("selection", () => {
  const after = (...changes: Parameters<typeof changeSelection>[1][]): Selection =>
    changes.reduce(changeSelection, NOTHING);

  test("a second press takes a run out again, and ranges go on from there", () => {
    const twice = after(
      { kind: "toggle", ids: ["a"], index: 3 },
      { kind: "toggle", ids: ["a"], index: 3 },
    );
    expect([...twice.ids]).toEqual([]);
    expect(twice.anchor).toBe(3);
  });

  test("a group is picked with all its seeds, and taken out once all are picked", () => {
    const seeds = { kind: "toggle", ids: ["a", "b"], index: 0 } as const;
    const all = after({ kind: "toggle", ids: ["a"], index: 0 }, seeds);
    expect([...all.ids]).toEqual(["a", "b"]);
    expect([...changeSelection(all, seeds).ids]).toEqual([]);
  });

  test("a range adds to what was picked", () => {
    const range = after(
      { kind: "toggle", ids: ["a"], index: 0 },
      { kind: "add", ids: ["b", "c"], index: 2 },
    );
    expect([...range.ids]).toEqual(["a", "b", "c"]);
    expect(range.anchor).toBe(2);
  });

  test("runs that were deleted are picked no more", () => {
    const left = after({ kind: "add", ids: ["a", "b"] }, { kind: "remove", ids: ["a"] });
    expect([...left.ids]).toEqual(["b"]);
  });

  test("a range reads the same upwards", () => expect(span(7, 3)).toEqual([3, 7]));
});
