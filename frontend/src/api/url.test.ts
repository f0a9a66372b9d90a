import { expect, test } from "vitest";
import { isRunId, routes } from "@/lib/routes";
import {
  EVERYTHING,
  isFiltered,
  readListFilter,
  sortedBy,
  toRunFilter,
  writeListFilter,
} from "./run-filter";

const read = (search: string) => readListFilter(new URLSearchParams(search));

test.each([
  "",
  "?q=cart",
  "?q=ppo+7&status=failed&status=running",
  "?algo=ppo&algo=dqn&env_id=CartPole-v1&tag=a+b",
  "?tag=x&sort=best_moving_average",
  "?sort=-name",
  "?sort=hp_learning_rate",
  "?sort=-metric%3Arollout%2Fep_rew_mean",
  "?tag=x&seeds=apart",
  "?q=cart&new&view=live",
])("the filter in %j round-trips", (search) =>
  expect(writeListFilter(new URLSearchParams(search), read(search))).toBe(search),
);

test("unknown filters are left out, even properties that every object has", () => {
  for (const word of ["wrong", "constructor", "toString"]) {
    expect(read(`?status=${word}&sort=-${word}`)).toEqual(EVERYTHING);
  }
});

test("the request contains exactly the chosen filters", () => {
  expect(toRunFilter(read("?q=++&sort=-created_at"))).toEqual({ grouped: true });
  expect(toRunFilter(read("?q=+dqn+&status=failed&tag=x&tag=y&sort=name&seeds=apart"))).toEqual({
    q: "dqn",
    status: ["failed"],
    tag: ["x", "y"],
    sort: "name",
  });
});

test("every sort order contains all runs", () => {
  expect(isFiltered(read("?sort=name&q=+"))).toBe(false);
  expect(isFiltered(read("?tag=x"))).toBe(true);
});

test("a column is first sorted in the useful direction, then in the other", () => {
  const best = sortedBy(EVERYTHING.sort, "best_moving_average");
  expect(best).toEqual({ key: "best_moving_average", descending: true });
  expect(sortedBy(best, "best_moving_average").descending).toBe(false);
  expect(sortedBy(best, "name").descending).toBe(false);
  expect(sortedBy(best, "hp_learning_rate").descending).toBe(false);
  expect(sortedBy(best, "metric:train/loss").descending).toBe(true);
});

test("only valid ids are sent to the service", () => {
  expect(isRunId("ppo-cartpole-20261121-014312-7f3a")).toBe(true);
  for (const id of ["", "../etc", "%2e%2e", "a/b", "A", "a\0", "-a", "a".repeat(200)]) {
    expect(isRunId(id), id).toBe(false);
  }
});

test("addresses contain their runs in the query", () => {
  expect(routes.run("ppo-a")).toBe("/runs/view?id=ppo-a");
  expect(routes.compareRuns(["a", "b"])).toBe("/compare?runs=a,b");
  expect(routes.duplicate("ppo-a")).toBe("/?duplicate=ppo-a");
});
