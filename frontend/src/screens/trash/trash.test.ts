import { expect, test } from "vitest";
import { untilRemoval } from "./trash";

const NOW = Date.UTC(2026, 10, 21, 12);
const inHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();

test.each([
  [-5, "within the hour"],
  [0.9, "within the hour"],
  [1, "in 1 hour"],
  [47.9, "in 47 hours"],
  [48, "in 2 days"],
  [168, "in 7 days"],
  [167, "in 6 days"],
])("after %d hours it says %s", (hours, text) =>
  expect(untilRemoval(inHours(hours), NOW)).toBe(text),
);
