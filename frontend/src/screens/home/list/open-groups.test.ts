import { describe, expect, test } from "vitest";
import type { Run, RunPage, SeedGroup } from "@/api/types";
import { lineCount, lineOfPlace, openGroups, placeOf } from "./lines";

const group = (id: string, seeds: number) =>
  ({ id, run_ids: Array.from({ length: seeds }, (_, i) => `${id}${i}`) }) as SeedGroup;
const page = (ids: string[], groups: SeedGroup[]) =>
  ({ runs: ids.map((id) => ({ id, group_id: id }) as Run), groups }) as RunPage;

const pages = new Map([
  [1, page(["d", "e", "f"], [group("e", 3)])],
  [0, page(["a", "b", "c"], [group("b", 2), group("c", 4)])],
]);
const open = openGroups(pages, new Set(["e", "b", "gone"]), 3);

describe("open groups", () => {
  test("are in the order of the list, whatever order their pages arrived in", () =>
    expect(open.map(({ index, group: { id } }) => [index, id])).toEqual([
      [1, "b"],
      [4, "e"],
    ]));

  test("have a row for each seed below their own", () => {
    expect(lineCount(6, open)).toBe(11);
    const places = Array.from({ length: 11 }, (_, line) => placeOf(line, open));
    expect(places.map(({ index, seed }) => (seed === null ? index : `${index}.${seed}`))).toEqual([
      0,
      1,
      "1.0",
      "1.1",
      2,
      3,
      4,
      "4.0",
      "4.1",
      "4.2",
      5,
    ]);
    expect(places.map((place) => lineOfPlace(place, open))).toEqual(places.map((_, line) => line));
  });

  test("change nothing while all are closed", () => {
    expect(openGroups(pages, new Set(), 3)).toEqual([]);
    expect(placeOf(7, [])).toEqual({ index: 7, seed: null });
  });
});
