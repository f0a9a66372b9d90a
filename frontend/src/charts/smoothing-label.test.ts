import { expect, test } from "vitest";
import { smoothingLabel } from "./chart-settings";

test("a smoothed line states its smoothing", () => {
  expect(smoothingLabel(0.6)).toBe("EMA 0.60");
  expect(smoothingLabel(0)).toBe("no smoothing");
});
