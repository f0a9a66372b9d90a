import { expect, test } from "vitest";
import { readComparison, writeComparison } from "./comparison";

test.each([
  ["", { runs: [], threshold: null, metric: null, color: null, apart: false }],
  ["runs=a,b", { runs: ["a", "b"], threshold: null, metric: null, color: null, apart: false }],
  [
    "runs=a,,b,a,../etc,B!",
    { runs: ["a", "b"], threshold: null, metric: null, color: null, apart: false },
  ],
  [
    "runs=a&threshold=-110",
    { runs: ["a"], threshold: -110, metric: null, color: null, apart: false },
  ],
  ["runs=a&threshold=", { runs: ["a"], threshold: null, metric: null, color: null, apart: false }],
  ["threshold=Infinity", { runs: [], threshold: null, metric: null, color: null, apart: false }],
])("the address ?%s is read", (query, view) => {
  expect(readComparison(new URLSearchParams(query))).toEqual(view);
});

test("no more runs are read than the service compares", () => {
  const query = new URLSearchParams({ runs: Array.from({ length: 20 }, (_, i) => `r${i}`).join() });
  expect(readComparison(query, 15).runs).toHaveLength(15);
});

test("what was read is written again, beside what others keep in the address", () => {
  const query = new URLSearchParams(
    "runs=a,b&threshold=3.5&axis=time&metric=train/loss&color=algo&seeds=apart",
  );
  const view = readComparison(query);
  expect(writeComparison(query, view)).toBe(
    "?runs=a,b&axis=time&metric=train%2Floss&color=algo&seeds=apart&threshold=3.5",
  );
  expect(
    writeComparison(new URLSearchParams(), {
      runs: [],
      threshold: null,
      metric: null,
      color: null,
      apart: false,
    }),
  ).toBe("");
});
