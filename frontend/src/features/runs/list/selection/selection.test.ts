import { describe, expect, test } from "vitest";
import { changeSelection, NOTHING, type Selection, span } from "./selection";

describe("selection", () => {
  const after = (...changes: Parameters<typeof changeSelection>[1][]): Selection =>
    changes.reduce(changeSelection, NOTHING);

  test("a second press takes a run out again, and ranges go on from there", () => {
    const twice = after(
      { kind: "toggle", id: "a", index: 3 },
      { kind: "toggle", id: "a", index: 3 },
    );
    expect([...twice.ids]).toEqual([]);
    expect(twice.anchor).toBe(3);
  });

  test("a range adds to what was picked", () => {
    const range = after(
      { kind: "toggle", id: "a", index: 0 },
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
