import { expect, test } from "vitest";
import { type ChartMark, groupMarks, type MarkKind } from "./marks";

const mark = (at: number, kind: MarkKind): ChartMark => ({
  id: `${kind}${at}`,
  kind,
  at,
  text: "",
});

test("marks too close to each other are merged under the most important one", () => {
  const marks = [mark(500, "evaluation"), mark(101, "solved"), mark(100, "checkpoint")];
  expect(
    groupMarks(marks, [0, 1000], 500, 10).map(({ share, kind, marks }) => [
      share,
      kind,
      marks.length,
    ]),
  ).toEqual([
    [0.101, "solved", 2],
    [0.5, "evaluation", 1],
  ]);
});

test("zooming in separates them and leaves out marks outside the view", () => {
  const marks = [mark(100, "best"), mark(101, "solved"), mark(900, "best")];
  expect(groupMarks(marks, [99, 102], 500, 10)).toHaveLength(2);
});
