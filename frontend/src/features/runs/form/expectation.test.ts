import { describe, expect, test } from "vitest";
import type { Preset } from "@/lib/api";
import { estimate, expectation } from "./expectation";

describe("a preset's promise", () => {
  const preset = { total_timesteps: 100_000, measured: null } as Preset;
  const measured = {
    seeds: 10,
    solved: 9,
    held: 8,
    return_iqm: 498.2,
    return_low: 487,
    return_high: 500,
    steps_to_threshold: 22_000,
    seconds_to_threshold: 12,
    seconds: 50,
  };

  test("is what was measured", () => {
    expect(expectation({ ...preset, measured })).toEqual({
      reached: "498.2",
      facts: [
        "487.0 to 500.0, 95 % interval",
        "Solved by 9 of 10 seeds, after 22k steps (12s)",
        "100k steps in 50s",
      ],
    });
  });

  test("is honest where nothing was measured, or nothing solved", () => {
    expect(expectation(preset)).toEqual({
      reached: null,
      facts: ["Not measured here yet · 100k steps"],
    });
    expect(expectation({ ...preset, measured: { ...measured, solved: 0 } }).facts[1]).toBe(
      "Solved by none of 10 seeds",
    );
  });

  test("tells how long another length may take", () => {
    expect(estimate({ ...preset, measured }, 20_000)).toBe(10_000);
    expect(estimate(preset, 20_000)).toBeNull();
    expect(estimate({ ...preset, measured }, Number.NaN)).toBeNull();
  });
});
