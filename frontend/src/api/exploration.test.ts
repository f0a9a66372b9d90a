import { expect, test } from "vitest";
import { countsVisits, explores } from "./exploration";

const off = { map: false, coverage: null, novelty: null };

test.each([
  [null, { hasMap: false, learns: false }],
  [off, { hasMap: false, learns: false }],
  [
    { ...off, map: true },
    { hasMap: true, learns: false },
  ],
  [
    { ...off, coverage: 0.1 },
    { hasMap: true, learns: true },
  ],
  [
    { ...off, archive: 0.3 },
    { hasMap: true, learns: true },
  ],
  [
    { ...off, novelty: 0.5 },
    { hasMap: false, learns: true },
  ],
  [
    { ...off, imitation: 10 },
    { hasMap: false, learns: true },
  ],
])("%j: %j", (plan, { hasMap, learns }) => {
  expect(countsVisits(plan)).toBe(hasMap);
  expect(explores(plan)).toBe(learns);
});
