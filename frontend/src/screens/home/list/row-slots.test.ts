import { expect, test } from "vitest";
import { RowSlots } from "./scroll";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("a row that comes into view reuses the element of one that left", () => {
  const slots = new RowSlots();
  const before = slots.assign(lines(0, 4));
  const after = slots.assign(lines(1, 5));
  expect(after.slice(0, 4)).toEqual(before.slice(1));
  expect(after[4]).toBe(before[0]);
});

test("the row with the keyboard focus keeps its element however far the list scrolls", () => {
  const slots = new RowSlots();
  const [first] = slots.assign(lines(0, 9));
  for (let from = 1; from < 500; from += 7) {
    const found = slots.assign([0, ...lines(from, from + 9)]);
    expect(found[0]).toBe(first);
    expect(new Set(found).size).toBe(found.length);
    expect(Math.max(...found)).toBeLessThan(11);
  }
});

test("a repeated request changes nothing", () => {
  const slots = new RowSlots();
  slots.assign(lines(0, 5));
  expect(slots.assign(lines(3, 8))).toEqual(slots.assign(lines(3, 8)));
});
