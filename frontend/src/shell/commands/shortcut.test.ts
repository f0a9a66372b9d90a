import { describe, expect, test } from "vitest";
import { type Press, readPress } from "./shortcut";

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  mod: false,
  alt: false,
  taken: false,
  at: 1_000,
  ...more,
});

test.each([
  ["k", { mod: true }, "palette"],
  ["K", { mod: true, taken: true }, "palette"],
  ["k", {}, null],
  ["n", {}, "new"],
  ["n", { taken: true }, null],
  ["n", { mod: true }, null],
  ["?", {}, "shortcuts"],
  ["?", { taken: true }, null],
  ["?", { alt: true }, null],
] as const)("%s with %j asks for %s", (key, more, command) =>
  expect(readPress(press(key, more), null).command).toBe(command),
);

describe("after g", () => {
  const { goSince } = readPress(press("g"), null);

  test.each([
    ["h", "home"],
    ["c", "compare"],
    ["e", "explain"],
    ["p", "play"],
    ["x", "experiments"],
    ["a", "analyse"],
    ["s", "storage"],
    ["t", "trash"],
    [",", "settings"],
    ["y", null],
  ])("%s goes to %s", (key, command) => {
    expect(readPress(press(key, { at: 1_500 }), goSince)).toEqual({ command, goSince: null });
  });

  test("a second key that is late or typed into a field has no effect", () => {
    expect(readPress(press("h", { at: 9_000 }), goSince).command).toBeNull();
    expect(readPress(press("h", { taken: true }), goSince).command).toBeNull();
  });

  test("g typed into a field starts no shortcut", () => {
    expect(readPress(press("g", { taken: true }), null).goSince).toBeNull();
  });
});
