import { describe, expect, test } from "vitest";
import type { Preset } from "@/api/types";
import { estimate, expectation } from "./expectation";

describe("a preset's promise", () => {
  const preset = { total_timesteps: 100_000, end_step: 100_352, measured: null } as Preset;
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

  test("is the measured result", () => {
    expect(expectation({ ...preset, measured }, 475)).toEqual({
      reached: "498.2",
      facts: [
        ["95 % interval", "[487.0, 500.0]"],
        ["Solved while training", "9 of 10 seeds"],
        ["Final policy solves it", "8 of 10 seeds"],
        ["Solved after", "22k steps · 12s"],
        ["Whole run", "100k steps · 50s"],
      ],
    });
  });

  test("says that the measured policies sampled their actions", () => {
    const sampled = { ...measured, sampled: true };
    expect(expectation({ ...preset, measured: sampled }, 475).facts[1]).toEqual([
      "Actions",
      "sampled",
    ]);
  });

  test("mentions a threshold only if there is one", () => {
    const names = (change: object, threshold: number | null) =>
      expectation({ ...preset, measured: { ...measured, ...change } }, threshold).facts.slice(
        1,
        -1,
      );
    const never = { solved: 0, held: null, steps_to_threshold: null, seconds_to_threshold: null };
    expect(names(never, 475)).toEqual([["Solved while training", "none of 10 seeds"]]);
    expect(names(never, null)).toEqual([]);
  });

  test("is never shorter than the steps to solve it, including the last rollout", () => {
    const late = { ...measured, steps_to_threshold: 1_015_808 };
    const long = { total_timesteps: 1_000_000, end_step: 1_015_808, measured: late } as Preset;
    expect(expectation(long, 475).facts.slice(-2)).toEqual([
      ["Solved after", "1.02M steps · 12s"],
      ["Whole run", "1.02M steps · 50s"],
    ]);
  });

  test("is empty without a measurement", () => {
    expect(expectation(preset, 475)).toEqual({
      reached: null,
      facts: [["Whole run", "100k steps"]],
    });
  });

  test("estimates the time for another length", () => {
    expect(estimate({ ...preset, measured }, 20_000)).toBe(10_000);
    expect(estimate(preset, 20_000)).toBeNull();
    expect(estimate({ ...preset, measured }, Number.NaN)).toBeNull();
  });
});
