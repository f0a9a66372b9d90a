import { describe, expect, test } from "vitest";
import type { GameContent } from "@/api/types";
import { LIMITS } from "./testing";
import {
  contentOf,
  draftFrom,
  expressionsOf,
  isSameFile,
  numberProblems,
  parseAddress,
  placeAmong,
  problemAt,
  problemsElsewhere,
  readableTaps,
  removableKey,
  repeatedComponent,
  tapDraft,
  wholeWithin,
  withoutKey,
} from "./draft";

const STAGES = { stage: "lamp", stages: 2 };

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
  cell: { x: "room % 3", y: "room // 3", columns: 3, rows: 3, rooms: ["a", "b"], ...STAGES },
  components: { goal: "10 * delta(lamp)", "odd/name": "1" },
  future_key: { a: [1] },
} as unknown as GameContent;

describe("a file and its draft", () => {
  test("say the same, also what the form does not know", () => {
    expect(contentOf(draftFrom(ISLAND))).toEqual(ISLAND);
  });

  test("names of rooms keep their commas, and may be empty", () => {
    for (const rooms of [["Cave, upper", "", "Lake"], ["a", ""], [""], ["", "a"]]) {
      const content = { cell: { x: "room", rooms } } as GameContent;
      expect(contentOf(draftFrom(content))).toEqual(content);
    }
    const typed = { ...draftFrom({}).cell, rooms: "a\nb, c\n" };
    expect(contentOf({ ...draftFrom({}), cell: typed })).toEqual({
      cell: { rooms: ["a", "b, c"] },
    });
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
  expect(expressionsOf(draftFrom(ISLAND), LIMITS)).toEqual({
    "/done": "hearts == 0",
    "/cell/x": "room % 3",
    "/cell/y": "room // 3",
    "/cell/stage": "lamp",
    "/components/goal": "10 * delta(lamp)",
    "/components/odd~1name": "1",
  });
});

test("addresses are hexadecimal however they are typed", () => {
  for (const text of ["0xC001", "$c001", "C001", " c001 "]) expect(parseAddress(text)).toBe(0xc001);
  expect(parseAddress("0010")).toBe(0x10);
  for (const text of ["", "0x", "C0010", "xyz"]) expect(parseAddress(text)).toBeNull();
});

test("numbers are decimal, or hexadecimal after 0x", () => {
  const draft = draftFrom({ taps: [{ name: "coins", address: 0xc001, type: "bcd" }] });
  const taps = [{ ...draft.taps[0]!, bytes: "0x2", high: "0xFF" }];
  const values = { ...draft.values, frame_skip: "0x18", hold: "8" };
  expect(contentOf({ ...draft, values, taps })).toMatchObject({
    frame_skip: 24,
    hold: 8,
    taps: [{ bytes: 2, high: 255 }],
  });
});

test("fields whose text is no number are found", () => {
  const draft = draftFrom({ taps: [{ name: "room", address: 0xc001 }] });
  expect(numberProblems(draft)).toEqual([]);
  const taps = [{ ...draft.taps[0]!, address: "49153", bit: "1.5", low: "deep" }];
  const values = { ...draft.values, frame_skip: "many", hold: "8.5", reward_threshold: "1.5" };
  const cell = { ...draft.cell, columns: "three" };
  const wrong = numberProblems({ ...draft, values, cell, taps });
  expect(wrong.map(({ pointer }) => pointer)).toEqual([
    "/frame_skip",
    "/hold",
    "/cell/columns",
    "/taps/0/address",
    "/taps/0/bit",
    "/taps/0/low",
  ]);
  expect(problemAt(wrong, "/taps/0/address")).toBe(
    "Enter an address in hexadecimal, such as C001 or 0xC001.",
  );
});

test("a file means the same in another order and with what is left out, and not with other types or keys", () => {
  const written = {
    summary: "",
    taps: [{ type: "u8", address: 1, name: "a" }],
    name: "Lamp",
  } as unknown as GameContent;
  expect(isSameFile(contentOf(draftFrom(written)), written)).toBe(true);
  expect(isSameFile(contentOf(draftFrom(ISLAND)), ISLAND)).toBe(true);
  for (const wrong of [
    { frame_skip: "8" },
    { taps: "x" },
    { taps: [{ name: "a", adress: 1 }] },
    { cell: { x: "a", colums: 3 } },
  ] as GameContent[]) {
    expect(isSameFile(contentOf(draftFrom(wrong)), wrong)).toBe(false);
  }
});

test("problems that no field shows are found, with the key that can be removed", () => {
  const draft = draftFrom({ ...ISLAND, fram_skip: 8 } as GameContent);
  const at = (pointer: string) => ({ pointer, detail: "No.", position: null });
  const hidden = ["/fram_skip", "/future_key/a", "/start_state", "", "/taps/100", "/components"];
  const shown = ["/done", "/buttons/1", "/taps/1/bit", "/cell/rooms", "/components/odd~1name"];
  expect(
    problemsElsewhere([...shown, ...hidden].map(at), draft).map(({ pointer }) => pointer),
  ).toEqual(hidden);
  expect(hidden.map((pointer) => removableKey(draft, pointer))).toEqual([
    ...["fram_skip", "future_key", "start_state"],
    ...[null, null, null],
  ]);
  const less = contentOf(withoutKey(withoutKey(draft, "fram_skip"), "start_state"));
  expect(less).not.toHaveProperty("fram_skip");
  expect(less).not.toHaveProperty("start_state");
});

test("only complete rows are read", () => {
  const rows = [
    tapDraft({ name: "", address: 0xc000 }),
    tapDraft({ name: "room", address: 0xc001 }),
    tapDraft({ name: "Bad name", address: 0xc001 }),
    tapDraft({ name: "lamp", address: 0xc00b, type: "bit", bit: 9 }),
    tapDraft({ name: "coins", address: 0xc010, type: "bcd", bytes: 2 }),
    tapDraft({ name: "gold", address: 0xc012, type: "bcd", bytes: 5 }),
    tapDraft({ name: "g".repeat(41), address: 0xc012 }),
  ];
  const asked = readableTaps(rows, LIMITS);
  expect([...asked.values()].map(({ name }) => name)).toEqual(["room", "coins"]);
  expect(rows.map((row) => placeAmong(asked, row, LIMITS))).toEqual([
    null,
    0,
    null,
    null,
    1,
    null,
    null,
  ]);
});

test("what the service says is allowed decides what is shown live", () => {
  const draft = draftFrom(ISLAND);
  const bounds = (minimum: number, maximum: number) => ({ minimum, maximum, default: null });
  const shorter = { ...LIMITS, game_expression: bounds(1, 9) };
  expect(Object.keys(expressionsOf(draft, shorter))).toEqual([
    ...["/cell/x", "/cell/y", "/cell/stage", "/components/odd~1name"],
  ]);
  const coins = tapDraft({ name: "coins", address: 0xc010, type: "bcd", bytes: 2 });
  for (const [limits, count] of [
    [LIMITS, 2],
    [{ ...LIMITS, game_taps: bounds(0, 1) }, 1],
    [{ ...LIMITS, tap_bytes: bounds(1, 1) }, 1],
    [{ ...LIMITS, game_name: "^coins$" }, 1],
  ] as const) {
    const rows = [tapDraft({ name: "room", address: 0xc001 }), coins];
    expect(readableTaps(rows, limits).size).toBe(count);
  }
  expect(["", "0x18", "61", "1.5", "x"].map((text) => wholeWithin(text, bounds(1, 60)))).toEqual([
    null,
    24,
    undefined,
    undefined,
    undefined,
  ]);
});

test("a row keeps its place among what was asked while others come and go", () => {
  const [room, coins] = [
    tapDraft({ name: "room", address: 0xc001 }),
    tapDraft({ name: "coins", address: 0xc010 }),
  ];
  const asked = readableTaps([room, coins], LIMITS);
  expect(placeAmong(asked, { ...coins, name: "gold", unit: "pieces" }, LIMITS)).toBe(1);
  expect(placeAmong(asked, { ...coins, address: "C011" }, LIMITS)).toBeNull();
  expect(placeAmong(asked, tapDraft({ name: "room", address: 0xc001 }), LIMITS)).toBeNull();
});

test("a problem is shown at its field with the place in the field", () => {
  const problems = [
    { pointer: "/buttons/1", line: 3, column: 1, detail: "No.", position: null },
    { pointer: "/done", line: 7, column: 9, detail: "There is no tap 'x'.", position: 0 },
  ];
  expect(problemAt(problems, "/done")).toBe("At character 1: There is no tap 'x'.");
  expect(problemAt(problems, "/buttons")).toBe("No.");
  expect(problemAt(problems, "/success")).toBeUndefined();
});

test("a repeated name of a component is found, because a table has each name once", () => {
  const draft = draftFrom(ISLAND);
  expect(repeatedComponent(draft)).toBeNull();
  const again = { ...draft.components[0]!, key: "x", name: " goal " };
  expect(repeatedComponent({ ...draft, components: [...draft.components, again] })).toBe("goal");
});
