import { expect, test } from "vitest";
import { readComparison, writeComparison } from "./comparison";

const NOTHING = {
  ...{ runs: null, threshold: null, metrics: null, color: null, apart: false },
  ...{ hidden: [], columns: null, policies: "videos" },
};

test.each([
  ["", {}],
  ["runs=", { runs: [] }],
  ["runs=a,b", { runs: ["a", "b"] }],
  ["runs=a,,b,a,../etc,B!", { runs: ["a", "b"] }],
  ["runs=a&threshold=-110", { runs: ["a"], threshold: -110 }],
  ["runs=a&threshold=", { runs: ["a"] }],
  ["threshold=Infinity", {}],
  ["metric=train/loss", { metrics: ["train/loss"] }],
  ["metrics=train/loss,episode/length", { metrics: ["train/loss", "episode/length"] }],
  ["columns=7&policies=dance&color=weather", {}],
  ["hidden=a,group b&policies=race", { hidden: ["a", "group b"], policies: "race" }],
])("the address ?%s is read", (query, view) => {
  expect(readComparison(new URLSearchParams(query))).toEqual({ ...NOTHING, ...view });
});

test("runs beyond the limit of the service are ignored", () => {
  const query = new URLSearchParams({ runs: Array.from({ length: 20 }, (_, i) => `r${i}`).join() });
  expect(readComparison(query, 15).runs).toHaveLength(15);
});

test("the address round-trips and keeps foreign parameters", () => {
  const query = new URLSearchParams(
    "runs=a,b&threshold=3.5&axis=time&metrics=train/loss,own wind&color=algo&seeds=apart&hidden=group a&columns=3&policies=race",
  );
  const written = writeComparison(query, readComparison(query));
  expect(written).toBe(
    "?runs=a,b&metrics=train/loss,own%20wind&hidden=group%20a&axis=time&color=algo&seeds=apart&threshold=3.5&columns=3&policies=race",
  );
  const again = readComparison(new URLSearchParams(written));
  expect(again).toEqual(readComparison(query));
  expect(writeComparison(new URLSearchParams(), readComparison(new URLSearchParams()))).toBe("");
});

test("an address without runs differs from one whose runs were all removed", () => {
  const none = readComparison(new URLSearchParams("runs="));
  expect(writeComparison(new URLSearchParams(), none)).toBe("?runs=");
});
