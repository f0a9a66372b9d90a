import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const css = readFileSync(path.join(import.meta.dirname, "tokens.css"), "utf8");
const themes = { light: ":root {", dark: ':root[data-theme="dark"] {' };

type Rgb = readonly [number, number, number];

function tokensOf(selector: string): (name: string) => Rgb {
  const from = css.indexOf(selector);
  const block = css.slice(from, css.indexOf("}", from));
  return (name) => {
    const hex = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(block)?.[1];
    if (!hex) throw new Error(`${selector} sets no --${name}`);
    const channel = (at: number) => linear(parseInt(hex.slice(at, at + 2), 16) / 255);
    return [channel(0), channel(2), channel(4)];
  };
}

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** WCAG 2 contrast ratio. */
function contrast(a: Rgb, b: Rgb): number {
  const [dim, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

type Matrix = readonly [Rgb, Rgb, Rgb];
const times = (m: Matrix, [x, y, z]: Rgb): Rgb =>
  m.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Rgb;

/** Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB. */
const sights: Record<string, Matrix> = {
  "full colour vision": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** Björn Ottosson's Oklab, whose distances follow the eye. */
function oklab(rgb: Rgb): Rgb {
  const lms = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map((v) => Math.cbrt(Math.max(v, 0))) as unknown as Rgb;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    lms,
  );
}

const grounds = ["bg", "surface", "sunken", "raised"];
const SERIES = Array.from({ length: 10 }, (_, i) => `series-${i + 1}`);
const tinted = ["good", "warn", "bad", "accent", "rest"];

for (const [theme, selector] of Object.entries(themes)) {
  const token = tokensOf(selector);

  test.each(
    [
      ["ink", "ink-soft", "ink-faint", "accent", "good", "warn", "bad", "rest"].map((ink) => ({
        inks: [ink],
        on: grounds,
        least: 4.5,
      })),
      tinted.map((tone) => ({ inks: [tone, "ink", "ink-soft"], on: [`${tone}-tint`], least: 4.5 })),
      [{ inks: ["accent-ink"], on: ["accent", "accent-strong"], least: 4.5 }],
      [{ inks: ["control-line", ...SERIES], on: grounds, least: 3 }],
      [{ inks: ["return-low", "return-high"], on: ["surface", "sunken"], least: 3 }],
      [{ inks: ["chart-raw", "chart-mean", "chart-reference"], on: ["surface"], least: 3 }],
    ].flat(),
  )(`${theme}: $inks can be read on $on`, ({ inks, on, least }) => {
    for (const ink of inks) {
      for (const ground of on) {
        expect(contrast(token(ink), token(ground)), `${ink} on ${ground}`).toBeGreaterThan(least);
      }
    }
  });

  test.each(Object.keys(sights))(`${theme}: low and high returns differ with %s`, (sight) => {
    const [low, high] = ["return-low", "return-high"].map((name) =>
      oklab(times(sights[sight] as Matrix, token(name))),
    ) as [Rgb, Rgb];
    expect(high[0] - low[0], "lightness").toBeGreaterThan(0.1);
    expect(Math.hypot(...low.map((value, i) => value - high[i]!))).toBeGreaterThan(0.25);
  });

  test.each(Object.keys(sights))(`${theme}: no two series look alike with %s`, (sight) => {
    const seen = SERIES.map((name) => oklab(times(sights[sight] as Matrix, token(name))));
    seen.forEach((a, i) =>
      seen.slice(i + 1).forEach((b, j) => {
        const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        expect(apart, `${i + 1} and ${i + j + 2}`).toBeGreaterThan(0.07);
      }),
    );
  });
}
