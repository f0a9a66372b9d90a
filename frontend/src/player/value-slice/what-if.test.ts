import { expect, test } from "vitest";
import { recordOf } from "../session/testing";
import { changed, reachOf } from "./prepare";

const space = {
  ...{ kind: "Box", shape: [3], low: [-1, -3.4e38, null], high: [1, 3.4e38, null] },
};
const records = [
  recordOf(0, { observation: [0, 10, 5] }),
  recordOf(1, { observation: [0, 30, 5] }),
];

test("a bounded component spans its bounds, and others half as far again as the episode", () => {
  expect(reachOf(space, 0, records, 0)).toEqual({ low: -1, high: 1 });
  expect(reachOf(space, 1, records, 20)).toEqual({ low: 0, high: 40 });
  expect(reachOf(space, 2, records, 5)).toEqual({ low: 2, high: 8 });
});

test("the current value is always within the range", () => {
  expect(reachOf(space, 0, records, 1.5)).toEqual({ low: -1, high: 1.5 });
  expect(reachOf(space, 1, [], 100)).toEqual({ low: 97, high: 103 });
});

test("only changed components are held at other values", () => {
  expect(changed([1, 2, 3], new Map([[1, 9]]))).toEqual([1, 9, 3]);
});
