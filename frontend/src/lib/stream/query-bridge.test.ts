import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, test } from "vitest";
import { type Evaluation, keys, type Run, type RunDetail } from "@/lib/api";
import { applyToQueries } from "./query-bridge";

let client: QueryClient;
const list = keys.runList({});
const run = (id: string, change: Partial<Run> = {}) =>
  ({ id, status: "running", step: 0, ...change }) as Run;
const evaluation = (id: string, change: Partial<Evaluation> = {}) =>
  ({ id, run_id: "a", status: "running", episodes_done: 0, ...change }) as Evaluation;
const stale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
const listed = () => client.getQueryData<{ pages: { runs: Run[] }[] }>(list)?.pages;

beforeEach(() => {
  client = new QueryClient();
  client.setQueryData(keys.run("a"), { ...run("a"), config: { seed: 7 } });
  client.setQueryData(keys.evaluations("a"), [evaluation("e1")]);
  client.setQueryData(list, {
    pages: [{ runs: [run("b")] }, { runs: [run("a")] }],
    pageParams: [undefined, "x"],
  });
});

test("progress reaches the run's page and its line in the list, and asks for nothing", () => {
  applyToQueries(client, { kind: "status", run: run("a", { step: 500 }) });
  const detail = client.getQueryData<RunDetail>(keys.run("a"));
  expect(detail).toMatchObject({ step: 500, config: { seed: 7 } });
  expect(listed()?.[1]?.runs[0]).toMatchObject({ id: "a", step: 500 });
  expect(listed()?.[0]?.runs[0]).toMatchObject({ id: "b", step: 0 });
  expect([stale(keys.run("a")), stale(list)]).toEqual([false, false]);
});

test("a change of status is shown at once, and asked about once more", () => {
  applyToQueries(client, { kind: "status", run: run("a", { status: "stopped" }) });
  expect(client.getQueryData<RunDetail>(keys.run("a"))?.status).toBe("stopped");
  expect([stale(keys.run("a")), stale(list)]).toEqual([true, true]);
});

test("a run the list does not know makes it ask", () => {
  applyToQueries(client, { kind: "status", run: run("new") });
  expect(stale(list)).toBe(true);
  expect(client.getQueryData(keys.run("new"))).toBeUndefined();
});

test("an evaluation is added once and then updated", () => {
  const key = keys.evaluations("a");
  applyToQueries(client, { kind: "evaluation", evaluation: evaluation("e2") });
  applyToQueries(client, {
    kind: "evaluation",
    evaluation: evaluation("e2", { episodes_done: 3 }),
  });
  expect(
    client.getQueryData<Evaluation[]>(key)?.map(({ id, episodes_done }) => [id, episodes_done]),
  ).toEqual([
    ["e2", 3],
    ["e1", 0],
  ]);
  expect(stale(key)).toBe(false);
});

test("a completed evaluation may have retired a video: the list is asked for", () => {
  applyToQueries(client, {
    kind: "evaluation",
    evaluation: evaluation("e1", { status: "completed" }),
  });
  expect(stale(keys.evaluations("a"))).toBe(true);
});

test("after a reconnection everything that changes is asked for, what is fixed is not", () => {
  client.setQueryData(keys.algorithms, []);
  applyToQueries(client, { kind: "reconnected" });
  expect([stale(keys.run("a")), stale(list), stale(keys.evaluations("a"))]).toEqual([
    true,
    true,
    true,
  ]);
  expect(stale(keys.algorithms)).toBe(false);
});

test("what failed while the service was away is asked for again", async () => {
  const failing = { queryKey: keys.environments, queryFn: () => Promise.reject(new Error("away")) };
  await client.fetchQuery({ ...failing, retry: false }).catch(() => {});
  applyToQueries(client, { kind: "reconnected" });
  expect(stale(keys.environments)).toBe(true);
});
