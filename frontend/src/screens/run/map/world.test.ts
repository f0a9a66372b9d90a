import { expect, test } from "vitest";
import type { RunMap, World } from "@/api/types";
import {
  describeMap,
  describePlace,
  movedBy,
  nameOfCell,
  percent,
  picture,
  placeOf,
  roomOf,
  stepOfMap,
} from "./world";

const world: World = {
  ...{ columns: 4, rows: 2, rooms_across: 2, rooms_down: 1, rooms: ["beach", "cave"] },
  ...{ across: null, down: null, marks: "", stages: 1 },
};
const lake: World = {
  ...{ columns: 2, rows: 2, rooms_across: 1, rooms_down: 1, rooms: [], marks: "SFHG", stages: 1 },
  ...{ across: null, down: null },
};
const hill: World = {
  ...{ columns: 4, rows: 2, rooms_across: 1, rooms_down: 1, rooms: [], marks: "", stages: 1 },
  across: { label: "position", low: -1.2, high: 0.6, unit: "" },
  down: { label: "speed", low: -0.07, high: 0.07, unit: "per step" },
};

function mapOf(shown: World | null, visits: Record<number, number>): RunMap {
  const cells = Object.entries(visits).map(([id, n]) => ({
    ...{ id: Number(id), visits: n, x: 0, y: 0, room: 0 },
  }));
  return {
    ...{ run_id: "a", world: shown, rooms: [], is_recorded: true, step: 9, steps: [9], cells },
    path: null,
    frontier: [],
  };
}

test("a cell visited once is visible and the most visited one is darkest", () => {
  const drawn = picture(mapOf(world, { 0: 1, 5: 100, 6: 10 }), [0, 5, 99])!;
  expect(drawn.shares[0]).toBeCloseTo(0.1);
  expect(drawn.shares[5]).toBeCloseTo(1);
  expect(drawn.shares[6]).toBeCloseTo(0.55);
  expect(drawn.shares[1]).toBeNull();
  expect(drawn.path).toEqual([
    { x: 0, y: 0 },
    { x: 1, y: 1 },
  ]);
  expect(drawn.walls).toEqual({ columns: [2], rows: [] });
  expect(picture(mapOf(world, { 3: 1 }))!.shares[3]).toBe(1);
  expect(picture(mapOf(null, {}))).toBeNull();
});

test("cells are named by their room, their label or their range", () => {
  const inRooms = picture(mapOf(world, { 7: 2, 0: 1 }))!;
  expect(roomOf(world, placeOf(world, 7))).toBe("cave");
  expect(describePlace(inRooms, { x: 3, y: 1 })).toBe("Cave, column 2, row 2: 2 visits (67 %)");
  const onLake = picture(mapOf(lake, { 0: 1 }))!;
  expect(describePlace(onLake, { x: 1, y: 1 })).toBe("Goal, column 2, row 2: never visited");
  expect(describePlace(onLake, { x: 1, y: 0 })).toBe("Column 2, row 1: never visited");
  const onHill = picture(mapOf(hill, { 0: 1 }))!;
  expect(describePlace(onHill, { x: 0, y: 0 })).toBe(
    "Position -1.2 to -0.75, speed 0 to 0.07 per step: 1 visit (100 %)",
  );
  expect(describeMap(onLake, 12_000)).toBe("1 of 4 cells visited up to step 12,000");
});

test("names of rooms are written as titles", () => {
  const rooms = ["the quiet grove", "house at the shore"];
  expect(picture(mapOf({ ...world, rooms }, {}))!.world.rooms).toEqual([
    "The Quiet Grove",
    "House at the Shore",
  ]);
});

test("arrow keys stay within the map", () => {
  expect(movedBy("ArrowUp", { x: 0, y: 0 }, world)).toEqual({ x: 0, y: 0 });
  expect(movedBy("ArrowRight", { x: 3, y: 0 }, world)).toEqual({ x: 3, y: 0 });
  expect(movedBy("End", { x: 0, y: 1 }, world)).toEqual({ x: 3, y: 1 });
  expect(movedBy("a", { x: 0, y: 1 }, world)).toBeNull();
});

test("a cell of the frontier says how often episodes begin there", () => {
  const frontier = [{ id: 5, x: 1, y: 1, room: 0, visits: 4, weight: 0.25 }];
  const drawn = picture({ ...mapOf(world, { 0: 4, 5: 4 }), frontier })!;
  expect(describePlace(drawn, { x: 1, y: 1 })).toBe(
    "Beach, column 2, row 2: 4 visits (50 %), 25 % of the archive's episodes begin here",
  );
  expect(describePlace(drawn, { x: 0, y: 0 })).toBe("Beach, column 1, row 1: 4 visits (50 %)");
});

test("a cell is named as in the map", () => {
  expect(nameOfCell(world, 7)).toBe("Cave, column 2, row 2");
  expect(nameOfCell(lake, 3)).toBe("Goal, column 2, row 2");
});

test("a moment shows the newest map up to it, and after the last one the live map", () => {
  const steps = [1000, 2000, 3000];
  expect(stepOfMap(steps, 2999)).toBe(2000);
  expect(stepOfMap(steps, 10)).toBe(1000);
  expect(stepOfMap(steps, 3000)).toBeNull();
  expect(stepOfMap([], 3000)).toBeNull();
});

test.each([
  [0.0004, "under 0.1 %"],
  [0.0058, "0.6 %"],
  [0.0099, "1 %"],
  [0.254, "25 %"],
])("a share of %d is %s", (share, text) => {
  expect(percent(share)).toBe(text);
});
