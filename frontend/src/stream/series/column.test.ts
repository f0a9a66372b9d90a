import { describe, expect, test } from "vitest";
import { Column } from "./column";
import { extremes } from "./thin";

function fill(column: Column, n: number, y: (i: number) => number | null = (i) => i) {
  for (let i = 0; i < n; i += 1) column.push(i, y(i));
}

describe("a column", () => {
  test("grows beyond its initial capacity and keeps every point", () => {
    const column = new Column();
    fill(column, 5000);
    expect(column.length).toBe(5000);
    expect(column.x[4999]).toBe(4999);
    expect(column.y[1024]).toBe(1024);
  });

  test("never exceeds its capacity and keeps the newest half unchanged", () => {
    const column = new Column({ capacity: 1000 });
    fill(column, 100_000);
    expect(column.length).toBeLessThanOrEqual(1000);
    expect(column.x.length).toBeLessThanOrEqual(1024);
    const newest = [...column.x.subarray(column.length - 250, column.length)];
    expect(newest).toEqual(Array.from({ length: 250 }, (_, i) => 99_750 + i));
  });

  test("stays ordered by step and keeps extremes, however often it was thinned", () => {
    const column = new Column({ capacity: 400 });
    fill(column, 20_000, (i) => (i === 777 ? 1e6 : i === 888 ? -1e6 : 0));
    const x = [...column.x.subarray(0, column.length)];
    expect(x).toEqual([...x].sort((a, b) => a - b));
    const y = column.y.subarray(0, column.length);
    expect(Math.max(...y)).toBe(1e6);
    expect(Math.min(...y)).toBe(-1e6);
  });

  test("distinguishes null from zero", () => {
    const column = new Column();
    column.push(1, 0);
    column.push(2, null);
    expect(column.y[1]).toBeNaN();
    expect(column.latest()).toBe(0);
  });

  test("has no latest value before the first number", () => {
    const column = new Column();
    column.push(1, null);
    expect(column.latest()).toBeNull();
  });
});

describe("extremes", () => {
  const of = (...values: number[]) => extremes(Float64Array.from(values), 0, values.length);

  test.each([
    [
      [1, 9, 0, 5],
      [1, 2],
    ],
    [
      [0, 1, 2, 3],
      [0, 3],
    ],
    [
      [5, 5, 5, 5],
      [0, 3],
    ],
    [
      [NaN, 3, NaN, 7],
      [1, 3],
    ],
    [
      [NaN, NaN],
      [0, 1],
    ],
  ])("of %j are at %j", (values, expected) => {
    expect(of(...values)).toEqual(expected);
  });
});
