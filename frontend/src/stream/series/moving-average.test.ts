import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MovingAverage } from "./column";

const smooth = (values: readonly (number | null)[], smoothing: number, spans?: number[]) => {
  const average = new MovingAverage(smoothing);
  return values.map((value, i) => average.next(value ?? Number.NaN, spans?.[i]));
};

interface SharedCase {
  name: string;
  smoothing: number;
  values: (number | null)[];
  averages: (number | null)[];
  mean: number | null;
  weight: number;
}

/** The service's tests read the same file. */
const shared = JSON.parse(
  readFileSync(
    path.join(process.cwd(), "..", "backend", "tests", "fixtures", "moving_average.json"),
    "utf8",
  ),
) as SharedCase[];

describe("the exponential moving average", () => {
  test.each(shared)("of $name equals that of the service", ({ smoothing, values, averages }) => {
    smooth(values, smoothing).forEach((average, i) => {
      const theirs = averages[i] ?? null;
      if (theirs === null) expect(average).toBeNaN();
      else expect(average).toBeCloseTo(theirs, 9);
    });
  });

  test.each(shared)("of $name continues where the service stopped", (one) => {
    const { smoothing, values, mean, weight } = one;
    const goesOn = new MovingAverage(smoothing, mean ?? 0, weight).next(7);
    expect(goesOn).toBeCloseTo(smooth([...values, 7], smoothing).at(-1)!, 9);
  });

  test("weighs a point by its distance in points", () => {
    const [first, second, third] = smooth([8, 2, 5], 0.5);
    expect(first).toBe(8);
    expect(second).toBeCloseTo((2 + 8 / 2) / (1 + 1 / 2));
    expect(third).toBeCloseTo((5 + 2 / 2 + 8 / 4) / (1 + 1 / 2 + 1 / 4));
  });

  test("counts a point that represents several as often as those", () => {
    expect(smooth([8, 2], 0.9, [3, 2])[1]).toBeCloseTo(smooth([8, 8, 8, 2, 2], 0.9)[4]!);
  });
});
