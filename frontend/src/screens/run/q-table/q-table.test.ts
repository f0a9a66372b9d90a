import { expect, test } from "vitest";
import type { QTableFile } from "@/api/run-record";
import { picture, sign } from "./q-table";

const file: QTableFile = {
  ...{ env_id: "FrozenLake-v1", step: 9, states: 4, shape: [2, 2], map: ["SF", "HG"] },
  actions: ["Left", "Down", "Right", "Up"],
  q: [
    [0.2, 0.5, 0.5, 0],
    [0, 1, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ],
  terminal: [false, false, true, true],
};

test("the greedy policy is shown on its grid with ties, and values from low to high", () => {
  const { rows, low, high, visited } = picture(file);
  expect(rows.map((row) => row.map(({ best }) => best))).toEqual([
    [[1, 2], [1]],
    [[], []],
  ]);
  expect([low, high, visited]).toEqual([0.5, 1, 2]);
  expect(rows[0]!.map(({ share }) => share)).toEqual([0, 1]);
});

test("an unvisited state has no value although its row is zero, and a visited one has", () => {
  const tried = { ...file, q: [[0, 0, 0, 0], ...file.q.slice(1)] };
  expect(picture(tried).rows[0]![0]!.value).toBeNull();
  const visits = [
    [1, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  expect(picture({ ...tried, visits }).rows[0]![0]!.value).toBe(0);
});

test("visits are summed over actions and coloured logarithmically", () => {
  const visits = [
    [1, 0, 0, 0],
    [3, 7, 0, 0],
    [0, 0, 0, 0],
    [50, 50, 0, 0],
  ];
  const terminal = [false, false, true, false];
  const { rows, low, high } = picture({ ...file, map: null, terminal, visits }, "visits");
  expect(rows.flat().map(({ shown }) => shown)).toEqual([1, 10, null, 100]);
  expect(rows.flat().map(({ share }) => share)).toEqual([0, 0.5, 0, 1]);
  expect([low, high]).toEqual([1, 100]);
});

test("terminal states are listed by number or recognised by their letter", () => {
  expect(picture({ ...file, map: null, terminal: [0] }).rows[0]![0]!.terminal).toBe(true);
  expect(picture({ ...file, terminal: [] }).rows[1]![0]!.terminal).toBe(true);
});

test("states without a grid are listed in rows", () => {
  const q = Array.from({ length: 500 }, () => [1, 2]);
  const { rows } = picture({ ...file, states: 500, shape: null, map: null, q, terminal: [] });
  expect(rows.flat()).toHaveLength(500);
  expect(rows.length).toBeLessThan(rows[0]!.length);
});

test.each([
  ["Left", "←"],
  ["Move up", "↑"],
  ["Stick", "Stick"],
])("the action %s is shown as %s", (action, shown) => expect(sign(action)).toBe(shown));
