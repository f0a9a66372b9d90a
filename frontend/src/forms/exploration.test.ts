import { expect, test } from "vitest";
import { explorationText } from "./exploration";

const plan = { map: true, coverage: null, novelty: null, archive: 0.3 };

test("the archive of one cell names the cell, also the first one", () => {
  expect(explorationText(plan)).toBe("archive 0.3");
  expect(explorationText({ ...plan, start_cell: 0 })).toBe("archive 0.3 in cell 0");
});
