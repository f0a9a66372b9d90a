import { expect, test } from "vitest";
import { isRunId, readListFilter, routes, toRunFilter, writeListFilter } from ".";

test.each(["", "?q=cart", "?status=failed", "?q=ppo+7&status=active"])(
  "the filter in %j survives reading and writing",
  (search) => expect(writeListFilter(readListFilter(new URLSearchParams(search)))).toBe(search),
);

test("an unknown status shows everything, even one that every object has", () => {
  for (const status of ["wrong", "constructor", "toString"]) {
    expect(readListFilter(new URLSearchParams({ status })).group).toBe("all");
  }
});

test("a group stands for its statuses, blank text for none", () => {
  expect(toRunFilter({ text: "  ", group: "failed" })).toEqual({
    status: ["failed", "interrupted"],
  });
  expect(toRunFilter({ text: " dqn ", group: "all" })).toEqual({ q: "dqn" });
});

test("only ids of the right form reach the service", () => {
  expect(isRunId("ppo-cartpole-20261121-014312-7f3a")).toBe(true);
  for (const id of ["", "../etc", "%2e%2e", "a/b", "A", "a\0", "-a", "a".repeat(200)]) {
    expect(isRunId(id), id).toBe(false);
  }
});

test("a run's address carries its id in the query", () => {
  expect(routes.run("ppo-a")).toBe("/runs/view?id=ppo-a");
});
