import { describe, expect, test } from "vitest";
import { commandFor } from "./keyboard";
import { pagesAround, pagesOf } from "./pages";
import { changeSelection, NOTHING, type Selection, span } from "./selection";

describe("keys", () => {
  const plain = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
  const press = (key: string, more: Partial<typeof plain> = {}, index = 5) =>
    commandFor({ key, ...plain, ...more }, { index, count: 100, screen: 10 });

  test.each([
    ["ArrowDown", 5, 6],
    ["j", 5, 6],
    ["k", 5, 4],
    ["ArrowUp", 0, 0],
    ["ArrowDown", 99, 99],
    ["PageDown", 5, 15],
    ["PageUp", 5, 0],
    ["Home", 50, 0],
    ["End", 5, 99],
  ])("%s on line %d goes to line %d", (key, index, to) =>
    expect(press(key, {}, index)).toEqual({ kind: "move", to, extend: false }),
  );

  test("shift takes the lines on the way along", () => {
    expect(press("ArrowDown", { shiftKey: true })).toMatchObject({ to: 6, extend: true });
    expect(press("X", { shiftKey: true })).toEqual({ kind: "select", extend: true });
  });

  test.each([
    ["Enter", "open"],
    ["x", "select"],
    [" ", "select"],
    ["Escape", "clear"],
    ["F2", "edit"],
    ["Delete", "delete"],
    ["m", "menu"],
  ])("%j asks to %s", (key, kind) => expect(press(key)).toMatchObject({ kind }));

  test("everything is selected with the system's own key, other combinations are the browser's", () => {
    expect(press("a", { metaKey: true })).toEqual({ kind: "select-all" });
    expect(press("a", { ctrlKey: true })).toEqual({ kind: "select-all" });
    expect(press("k", { ctrlKey: true })).toBeNull();
    expect(press("ArrowDown", { altKey: true })).toBeNull();
    expect(press("q")).toBeNull();
    expect(press("F10")).toBeNull();
  });
});

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

describe("pages", () => {
  test.each([
    ["the beginning", 0, 12, 1000, [0]],
    ["near a page's end", 40, 52, 1000, [0, 1]],
    ["the middle", 600, 612, 1000, [9, 10]],
    ["the end", 985, 999, 1000, [15, 16]],
    ["a short list", 0, 3, 4, [0]],
    ["an empty list", 0, 0, 0, []],
  ])("around %s", (_, first, last, total, pages) =>
    expect(pagesAround(first, last, total, 60)).toEqual(pages),
  );

  test("a range reads the pages it lies on", () => expect(pagesOf(59, 121, 60)).toEqual([0, 1, 2]));
});
