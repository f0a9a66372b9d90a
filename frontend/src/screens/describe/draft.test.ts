import { describe, expect, test } from "vitest";
import type { GameContent } from "@/api/types";
import {
  contentOf,
  draftFrom,
  expressionsOf,
  parseAddress,
  problemAt,
  readableTaps,
  repeatedComponent,
  tapDraft,
} from "./draft";

const ISLAND = {
  name: "Island",
  start_state: "start.state",
  buttons: ["up", "right+a"],
  frame_skip: 8,
  reward_threshold: 10.5,
  done: "hearts == 0",
  taps: [
    { name: "room", address: 0xc001, high: 8 },
    { name: "lamp", address: 0xc00b, type: "bit", bit: 0, unit: "lamps", low: -1.5 },
  ],
  cell: { x: "room % 3", y: "room // 3", columns: 3, rows: 3, rooms: ["a", "b"] },
  components: { goal: "10 * delta(lamp)", "odd/name": "1" },
  future_key: { a: [1] },
} as unknown as GameContent;

describe("a file and its draft", () => {
  test("say the same, also what the form does not know", () => {
    expect(contentOf(draftFrom(ISLAND))).toEqual(ISLAND);
  });

  test("an empty file has no empty tables", () => {
    expect(contentOf(draftFrom({}))).toEqual({});
  });

  test("what is not a number stays text, for the service to refuse", () => {
    const draft = draftFrom(ISLAND);
    const typed = { ...draft, values: { ...draft.values, frame_skip: "many" } };
    const [room] = typed.taps;
    const taps = [{ ...room!, address: "here", high: "" }];
    expect(contentOf({ ...typed, taps })).toMatchObject({
      frame_skip: "many",
      taps: [{ name: "room", address: "here" }],
    });
  });
});

test("expressions are found by the pointers of the file, blank ones left out", () => {
  expect(expressionsOf(draftFrom(ISLAND))).toEqual({
    "/done": "hearts == 0",
    "/cell/x": "room % 3",
    "/cell/y": "room // 3",
    "/components/goal": "10 * delta(lamp)",
    "/components/odd~1name": "1",
  });
});

test("addresses are hexadecimal however they are typed", () => {
  for (const text of ["0xC001", "$c001", "C001", " c001 "]) expect(parseAddress(text)).toBe(0xc001);
  expect(parseAddress("0010")).toBe(0x10);
  for (const text of ["", "0x", "C0010", "xyz"]) expect(parseAddress(text)).toBeNull();
});

test("only complete rows are read, and each keeps its place", () => {
  const rows = [
    tapDraft({ name: "", address: 0xc000 }),
    tapDraft({ name: "room", address: 0xc001 }),
    tapDraft({ name: "Bad name", address: 0xc001 }),
    tapDraft({ name: "lamp", address: 0xc00b, type: "bit", bit: 9 }),
    tapDraft({ name: "coins", address: 0xc010, type: "bcd", bytes: 2 }),
  ];
  const { taps, places } = readableTaps(rows);
  expect(taps.map(({ name }) => name)).toEqual(["room", "coins"]);
  expect(places).toEqual([null, 0, null, null, 1]);
});

test("a problem is shown at its field with line and column", () => {
  const problems = [
    { pointer: "/buttons/1", line: 3, column: 1, detail: "No.", position: null },
    { pointer: "/done", line: 7, column: 9, detail: "There is no tap 'x'.", position: 0 },
  ];
  expect(problemAt(problems, "/done")).toBe("Line 7, column 9: There is no tap 'x'.");
  expect(problemAt(problems, "/buttons")).toBe("Line 3, column 1: No.");
  expect(problemAt(problems, "/success")).toBeUndefined();
});

test("a repeated name of a component is found, because a table has each name once", () => {
  const draft = draftFrom(ISLAND);
  expect(repeatedComponent(draft)).toBeNull();
  const again = { ...draft.components[0]!, key: "x", name: " goal " };
  expect(repeatedComponent({ ...draft, components: [...draft.components, again] })).toBe("goal");
});
