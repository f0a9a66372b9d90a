import { expect, test } from "vitest";
import { blendFor, brightnessOf, shareOf } from "./blend";

const pixels = (...grey: number[]) =>
  Uint8ClampedArray.from(grey.flatMap((value) => [value, value, value, 255]));

test("the brightness of a frame is the mean of its pixels", () => {
  expect(brightnessOf(pixels(255, 255))).toBeCloseTo(1);
  expect(brightnessOf(pixels(0, 255))).toBeCloseTo(0.5);
  expect(brightnessOf(pixels())).toBe(1);
});

test("ghosts darken a bright background and lighten a dark one", () => {
  expect(blendFor(0.95)).toEqual({ stain: "lighten", over: "multiply" });
  expect(blendFor(0.05)).toEqual({ stain: "darken", over: "screen" });
});

test("every ghost has the same weight on another background", () => {
  const blend = blendFor(0.5);
  const shares = [0, 1, 2].map((place) => shareOf(blend, place));
  // What is left of each after those above it.
  const seen = shares.map((share, i) =>
    shares.slice(i + 1).reduce((left, above) => left * (1 - above), share),
  );
  for (const share of seen) expect(share).toBeCloseTo(1 / 3);
});
