import { expect, test } from "vitest";
import { madeText, madeTexts } from "./method-text";

const made = (n: number, definition = "The mean.") => ({
  ...{ definition, n, resamples: 10_000, confidence: 0.95, source: "a paper" },
});

test("a method shared by all rows is stated once", () => {
  const rows = ["A", "B"].map((label) => ({ label, made: made(5) }));
  expect(madeTexts(rows)).toBe(
    "The mean. (n = 5; 10,000 resamples; 95% interval; source: a paper)",
  );
  expect(madeTexts([])).toBe("");
});

test("rows with different methods each state their number of scores", () => {
  const rows = [
    { label: "A", made: made(10) },
    { label: "B", made: made(4) },
    { label: "C", made: made(10) },
  ];
  expect(madeTexts(rows)).toBe(`A, C: ${madeText(made(10))}\nB: ${madeText(made(4))}`);
});

test("many different numbers of scores are stated as a range", () => {
  const rows = [3, 7, 5, 1].map((n) => ({ label: `v${n}`, made: made(n) }));
  expect(madeTexts(rows)).toMatch(/^The mean\. \(n = 1 to 7, by variant; 10,000 resamples/);
});
