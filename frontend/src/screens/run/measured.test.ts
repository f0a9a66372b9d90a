import { describe, expect, test } from "vitest";
import type { Algorithm, Environment, MeasuredCurve, RunConfig } from "@/api/types";
import {
  curveSentence,
  curveWithin,
  measuredCurves,
  measuredPreset,
  measuredSentence,
} from "./preset-ghost";

const measured = {
  sampled: false,
  ...{ seeds: 10, solved: 9, held: 8, return_iqm: 498.2, return_low: 487, return_high: 500 },
  ...{ seconds_to_threshold: 12, seconds: 50 },
  steps_to_threshold: 22_000 as number | null,
  solved_steps: null as number[] | null,
};
const preset = {
  ...{ id: "fast", title: "Fast", total_timesteps: 100_000, measured },
  hyperparameters: { gamma: 0.98 },
};
const algorithm = {
  hyperparameters: [
    { name: "gamma", default: 0.99 },
    { name: "n_steps", default: 2048 },
  ],
} as unknown as Algorithm;
const environment = { presets: { ppo: [preset] } } as unknown as Environment;
const config = (hyperparameters: object) =>
  ({ algo: "ppo", preset: "fast", hyperparameters }) as unknown as RunConfig;
const found = measuredPreset(config({ gamma: 0.98, n_steps: 2048 }), algorithm, environment)!;

describe("the measured preset of a run", () => {
  test("applies only to a run with its values", () => {
    expect(found.id).toBe("fast");
    expect(measuredPreset(config({ gamma: 0.9 }), algorithm, environment)).toBeNull();
    expect(measuredPreset(config({ n_steps: 64 }), algorithm, environment)).toBeNull();
    const unmeasured = { presets: { ppo: [{ ...preset, measured: null }] } };
    expect(measuredPreset(config({}), algorithm, unmeasured as unknown as Environment)).toBeNull();
  });

  const said = (change: Partial<typeof measured>, step: number) =>
    measuredSentence({ ...found, measured: { ...measured, ...change } }, 475, step);

  test("shows how many seeds had solved it at the current step", () => {
    const solved_steps = [9_000, 12_000, 20_000, 22_000, 23_000, 30_000, 31_000, 40_000, 80_000];
    expect(said({ solved_steps }, 0)).toMatch(
      /: none of 10 seeds had solved it by this step, 9 by the end\. After 100k steps the final greedy return of its 10 seeds was 498\.2 \[487\.0, 500\.0\]/,
    );
    expect(said({ solved_steps }, 22_000)).toMatch(
      /: 4 of 10 seeds had solved it by this step, 9 by the/,
    );
    expect(said({ solved_steps }, 90_000)).toMatch(/: 9 of 10 seeds had solved it by this step\./);
    expect(said({ solved_steps }, 120_000)).toMatch(/: 9 of 10 seeds had solved it by this step\./);
    expect(measuredSentence(found, null, 0)).not.toMatch(/solved/);
    expect(said({ sampled: true }, 0)).toMatch(/the final return with sampled actions of its 10/);
  });

  test("shows where half had solved it if single steps are unknown", () => {
    expect(said({}, 5_000)).toMatch(/: 9 of 10 seeds solved it, in the median by step 22k\. After/);
    expect(said({}, 100_000)).toMatch(/: 9 of 10 seeds had solved it by this step\./);
  });

  test("says that some solved it if fewer than half did, and none only if none did", () => {
    const few = { solved: 4, steps_to_threshold: null };
    expect(said(few, 5_000)).toMatch(/: 4 of 10 seeds solved it\. After/);
    expect(said({ ...few, solved_steps: [1_000, 2_000, 8_000, 9_000] }, 5_000)).toMatch(
      /: 2 of 10 seeds had solved it by this step, 4 by the end\./,
    );
    expect(said({ solved: 0, steps_to_threshold: null }, 5_000)).toMatch(
      /: none of 10 seeds solved it\. After/,
    );
  });

  test("is drawn only where it was measured", () => {
    const { final, solved } = measuredCurves(found, 475, 100_000);
    expect(final?.x.at(-1)).toBe(100_000);
    expect(final?.columns).toMatchObject({ low: [487, 487], high: [500, 500] });
    expect(solved).toEqual({ x: [22_000], columns: { threshold: [475] } });
    expect(measuredCurves(found, 475, 30_000)).toMatchObject({ final: null, solved: solved });
    expect(measuredCurves(found, null, 100_000).solved).toBeNull();
  });

  test("has its curve drawn as far as the run goes, with its method", () => {
    const curve: MeasuredCurve = {
      ...{ source: "evaluation", shows: "iqm", step: [0, 1_000, 2_000] },
      ...{ middle: [10, 20, 30], low: [5, null, 25], high: [15, null, 35] },
    };
    expect(curveWithin(curve, 1_500)).toEqual({
      x: [0, 1_000],
      columns: { middle: [10, 20], low: [5, null], high: [15, null] },
    });
    expect(curveWithin(curve, 500)).toBeNull();
    expect(curveSentence(curve)).toMatch(
      /measured evaluations: interquartile mean .* 95 % interval/,
    );
    const older = { ...curve, source: "training", shows: "quartiles" } as const;
    expect(curveSentence(older)).toMatch(/returns in training: median .* quartiles/);
  });
});
