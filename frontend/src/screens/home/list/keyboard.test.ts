import { describe, expect, test } from "vitest";
import { commandFor, pageCommandFor } from "./keyboard";

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

  test("shift selects the rows in between", () => {
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

  test("the system shortcut selects everything, and other combinations are left to the browser", () => {
    expect(press("a", { metaKey: true })).toEqual({ kind: "select-all" });
    expect(press("a", { ctrlKey: true })).toEqual({ kind: "select-all" });
    expect(press("k", { ctrlKey: true })).toBeNull();
    expect(press("ArrowDown", { altKey: true })).toBeNull();
    expect(press("q")).toBeNull();
    expect(press("F10")).toBeNull();
  });

  test.each([
    ["j", "move"],
    ["K", "move"],
    ["x", "select"],
    ["m", "menu"],
  ])("%s works on the whole page", (key, kind) =>
    expect(pageCommandFor({ key, ...plain })).toMatchObject({ kind }),
  );

  test.each(["ArrowDown", "Enter", " ", "Delete", "Home", "Escape", "F2", "a"])(
    "%j is not",
    (key) => expect(pageCommandFor({ key, ...plain })).toBeNull(),
  );

  test("Ctrl+K is reserved for the palette", () =>
    expect(pageCommandFor({ key: "k", ...plain, ctrlKey: true })).toBeNull());
});
