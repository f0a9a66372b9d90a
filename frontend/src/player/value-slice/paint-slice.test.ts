import { expect, test } from "vitest";
import type { TokenColors } from "@/charts/canvas";
import { paintSlice } from "./slice-picture";

type Rectangle = [number, number, number, number];

/** A context of a screen with `ratio` pixels to one of the page, and what was filled and how strong lines were. */
function recorded(ratio: number) {
  const cells: Rectangle[] = [];
  const strokes: number[] = [];
  const ctx = {
    globalAlpha: 1,
    getTransform: () => ({ a: ratio }),
    fillRect: (...cell: Rectangle) => cells.push(cell),
    stroke: () => strokes.push(ctx.globalAlpha),
    ...{ beginPath() {}, moveTo() {}, lineTo() {}, arc() {}, fill() {} },
  };
  return { ctx: ctx as unknown as CanvasRenderingContext2D, cells, strokes };
}

const colors: TokenColors = { of: (token: string) => token } as TokenColors;
const shares = Array.from({ length: 64 }, () => Array.from({ length: 64 }, () => 0.5));

test.each([1, 1.25, 1.5, 2, 2.625])(
  "at %s pixels of the screen to one of the page, cells meet without a seam",
  (ratio) => {
    const { ctx, cells } = recorded(ratio);
    const size = { width: 277, height: 208 };
    paintSlice(ctx, size, colors, { shares, path: [], recent: [], now: null, pointed: null });
    const ends = cells.slice(0, 64).flatMap(([left, , wide]) => [left, left + wide]);
    for (const end of ends) expect(end * ratio).toBeCloseTo(Math.round(end * ratio), 6);
    expect(ends.filter((_, i) => i % 2 === 0).slice(1)).toEqual(
      ends
        .filter((_, i) => i % 2 === 1)
        .slice(0, -1)
        .map((end) => expect.closeTo(end, 6)),
    );
  },
);

test("the path of the episode is faint except for its newest steps", () => {
  const { ctx, strokes } = recorded(1);
  const path = [Array.from({ length: 90 }, (_, i) => ({ left: i / 90, top: i / 90 }))];
  const drawn = { shares, path, recent: path, now: null, pointed: null };
  paintSlice(ctx, { width: 10, height: 10 }, colors, drawn);
  expect(strokes).toEqual([0.3, 0.3, 1, 1]);
});
