import { describe, expect, test } from "vitest";
import { changeSelection, NOTHING, type Selection, span } from "./selection";

describe("selection", () => {
  const after = (...changes: Parameters<typeof changeSelection>[1][]): Selection =>
    changes.reduce(changeSelection, NOTHING);

  test("a second click deselects a run, and ranges continue from there", () => {
    const twice = after(
      { kind: "toggle", ids: ["a"], index: 3 },
      { kind: "toggle", ids: ["a"], index: 3 },
    );
    expect([...twice.ids]).toEqual([]);
    expect(twice.anchor).toBe(3);
  });

  test("a group is selected with all its seeds and deselected when all are selected", () => {
    const seeds = { kind: "toggle", ids: ["a", "b"], index: 0 } as const;
    const all = after({ kind: "toggle", ids: ["a"], index: 0 }, seeds);
    expect([...all.ids]).toEqual(["a", "b"]);
    expect([...changeSelection(all, seeds).ids]).toEqual([]);
  });

  test("a range adds to the selection", () => {
    const range = after(
      { kind: "toggle", ids: ["a"], index: 0 },
      { kind: "add", ids: ["b", "c"], index: 2 },
    );
    expect([...range.ids]).toEqual(["a", "b", "c"]);
    expect(range.anchor).toBe(2);
  });

  test("deleted runs are deselected", () => {
    const left = after({ kind: "add", ids: ["a", "b"] }, { kind: "remove", ids: ["a"] });
    expect([...left.ids]).toEqual(["b"]);
  });

  test("a range works in both directions", () => expect(span(7, 3)).toEqual([3, 7]));
});
