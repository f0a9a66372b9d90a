import { expect, test } from "vitest";
import { explorationRequest, explorationText } from "./exploration";

const plan = { map: true, coverage: null, novelty: null, archive: 0.3 };

test("the archive of one cell names the cell, also the first one", () => {
  expect(explorationText(plan)).toBe("archive 0.3");
  expect(explorationText({ ...plan, start_cell: 0 })).toBe("archive 0.3 in cell 0");
});

test("a request leaves out what the preset does anyway, and switches it off with an empty plan", () => {
  const preset = { map: false, coverage: null, novelty: null, archive: 0.3 };
  expect(explorationRequest(plan, preset)).toEqual({});
  expect(explorationRequest({ ...plan, archive: 0.4 }, preset)).toEqual({
    exploration: { ...plan, archive: 0.4 },
  });
  expect(explorationRequest(null, preset)).toEqual({ exploration: {} });
  expect(explorationRequest(null, null)).toEqual({});
  expect(explorationRequest({ map: true }, null)).toEqual({ exploration: { map: true } });
});
