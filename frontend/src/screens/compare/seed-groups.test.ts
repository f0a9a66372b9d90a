import { expect, test } from "vitest";
import { comparedGroups } from "./series-styles";

test("runs of one group are one line and a single run is not", () => {
  const runs = ["a1", "b1", "a2", "c1", "b2"].map((id) => ({ id, name: id, group_id: id[0]! }));
  expect(comparedGroups(runs)).toEqual([
    { id: "a", name: "a1", runIds: ["a1", "a2"] },
    { id: "b", name: "b1", runIds: ["b1", "b2"] },
  ]);
});
