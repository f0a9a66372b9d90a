import { expect, test } from "vitest";
import { costWords, doneWords, leftWords } from "./experiment-words";

test("says what has become of the trials", () => {
  expect(doneWords({ counts: {}, trials: 1 })).toBe("0 of 1 trial scored");
  expect(doneWords({ counts: { scored: 3, failed: 1, training: 2 }, trials: 10 })).toBe(
    "3 of 10 trials scored, 1 failed",
  );
});

test("says how long it takes, and what it has cost", () => {
  expect(leftWords({ seconds_left: 125 })).toBe("2m 05s left");
  expect(leftWords({ seconds_left: null })).toBeNull();
  expect(costWords({ core_seconds: 1112.6 })).toBe("1,113 core-seconds");
});
