import { expect, test } from "vitest";
import type { Clip, KeptPolicy, RunConfig } from "@/api/types";
import {
  clipOptionsOf,
  frames,
  nextToPicture,
  picturesOf,
  policyAfter,
  policyAt,
  returnScale,
} from "./film";

const OPTIONS = clipOptionsOf({ config: null });
const policies = [0, 100, 120, 500, 1_000].map((step) => ({ step }) as KeptPolicy);
const clip = (step: number, change: Partial<Clip> = {}) =>
  ({
    ...{ kind: "clip", step, status: "retired", thumbnail_url: `/${step}.webp`, is_current: true },
    ...OPTIONS,
    episodes: [{ step, episode_return: step / 10, cut: false }],
    ...change,
  }) as Clip;

test("the policy of a moment is the newest one up to it", () => {
  expect(policyAt(policies, 119)?.step).toBe(100);
  expect(policyAt(policies, 120)?.step).toBe(120);
  expect(policyAt(policies, 9_999)?.step).toBe(1_000);
  expect(policyAt(policies.slice(1), 5)?.step).toBe(100);
  expect(policyAt([], 5)).toBeUndefined();
});

test("arrow keys move from policy to policy and stop at the ends", () => {
  expect(policyAfter(policies, 110, 1)?.step).toBe(120);
  expect(policyAfter(policies, 120, -1)?.step).toBe(100);
  expect(policyAfter(policies, 0, -1)?.step).toBe(0);
  expect(policyAfter(policies, 1_000, 5)?.step).toBe(1_000);
});

test("each cell of the strip shows the last policy of its part, preferably one with a picture", () => {
  const pictures = picturesOf([clip(100), clip(500, { thumbnail_url: null })], OPTIONS);
  const shown = frames(policies, pictures, [0, 1_000], 4);
  expect(shown.map(({ policy, picture }) => [policy.step, picture?.url ?? null])).toEqual([
    [100, "/100.webp"],
    [500, null],
    [1_000, null],
  ]);
  expect(shown.map(({ share }) => share)).toEqual([0.125, 0.625, 0.875]);
});

test("zoomed in, the strip shows only policies in view", () => {
  const shown = frames(policies, new Map(), [90, 130], 2);
  expect(shown.map(({ policy }) => policy.step)).toEqual([100, 120]);
});

test("by another axis, the strip shows each policy at the position of its step", () => {
  const perEpisode = (step: number) => step / 10;
  const shown = frames(policies, new Map(), [0, 100], 4, perEpisode);
  expect(shown.map(({ policy }) => policy.step)).toEqual([120, 500, 1_000]);
});

test("a picture states only the return of its own complete episode", () => {
  const [{ episodes }] = [clip(500)] as const;
  const pictures = picturesOf(
    [
      clip(100),
      clip(120, { seed: 7 }),
      clip(120, { greedy: false }),
      clip(500, { is_current: false }),
      clip(1_000, { episodes: [{ ...episodes[0]!, step: 1_000, cut: true }] }),
      clip(0, { kind: "growth", step: null, episodes }),
    ],
    OPTIONS,
  );
  expect([...pictures]).toEqual([
    [100, { url: "/100.webp", episodeReturn: 10 }],
    [1_000, { url: "/1000.webp", episodeReturn: null }],
  ]);
});

test("returns are coloured from lowest to highest if there are several", () => {
  const scale = returnScale(picturesOf([clip(0), clip(100), clip(1_000)], OPTIONS));
  expect([0, 10, 100, null].map(scale)).toEqual([0, 0.1, 1, null]);
  expect(returnScale(picturesOf([clip(100)], OPTIONS))(10)).toBeNull();
  expect(returnScale(new Map())(10)).toBeNull();
});

test("pictures load for the cells of the strip first, newest first, up to a limit", () => {
  const cellsOf = (clips: Clip[]) => frames(policies, picturesOf(clips, OPTIONS), [0, 1_000], 2);
  const next = (clips: Clip[], most?: number) =>
    nextToPicture(cellsOf(clips), policies, clips, OPTIONS, most)?.step;
  expect(next([])).toBe(1_000);
  expect(next([clip(1_000)])).toBe(120);
  expect(next([clip(1_000), clip(120)])).toBe(500);
  expect(next([clip(1_000), clip(120)], 2)).toBeUndefined();
  expect(next([clip(1_000, { status: "failed", thumbnail_url: null })])).toBe(120);
  expect(next(policies.map(({ step }) => clip(step)))).toBeUndefined();
  expect(nextToPicture([], [], [], OPTIONS)).toBeUndefined();
});

test("pictures of a run that samples actions in evaluations do so too", () => {
  const config = { evaluation: { every_steps: 1_000, deterministic: false } } as RunConfig;
  const options = clipOptionsOf({ config });
  expect(options.greedy).toBe(false);
  const pictures = picturesOf([clip(100), clip(500, { greedy: false })], options);
  expect([...pictures.keys()]).toEqual([500]);
});
