import { expect, test } from "vitest";
import { plainOptions, smallChart } from "./fixtures";
import type { ChartSpec } from "./model";
import { prepare } from "./prepare";

function crowd(of: number): ChartSpec {
  const chart = smallChart();
  const series = Array.from({ length: of }, (_, i) => ({ ...chart.series[0]!, id: String(i) }));
  return { ...chart, series };
}

test("many series are drawn on shared positions, as many as the screen has room for", () => {
  const { data } = prepare(crowd(100), plainOptions);
  expect(data).toHaveLength(1 + 2 * 100);
  expect(data[0].length).toBeLessThanOrEqual(plainOptions.width);
  expect(data[1]!.every((value) => value === undefined)).toBe(true);
  const line = data[2]!;
  expect(line[0]).toBeUndefined();
  expect(line[Math.floor(line.length / 2)]).toBe(5);
  expect(line[Math.floor(line.length * 0.8)]).toBe(-3);
  expect(line.at(-1)).toBeNull();
});

test("few series keep every point", () => {
  expect(prepare(crowd(10), plainOptions).data[1]).toEqual([5, -3, null]);
});
