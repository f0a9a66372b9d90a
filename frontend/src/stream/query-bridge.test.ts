import { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, test } from "vitest";
import { keys } from "@/api/keys";
import type { Evaluation, Run, RunDetail, RunPage } from "@/api/types";
import { queryBridge } from "./query-bridge";

let client: QueryClient;
let apply: ReturnType<typeof queryBridge>;
const first = keys.runPage({}, 0);
const second = keys.runPage({}, 1);
const run = (id: string, change: Partial<Run> = {}) =>
  ({ id, status: "running", step: 0, ...change }) as Run;
const evaluation = (id: string, change: Partial<Evaluation> = {}) =>
  ({ id, run_id: "a", status: "running", episodes_done: 0, ...change }) as Evaluation;
const stale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
const page = (...runs: Run[]): RunPage => ({
  ...{ runs, groups: [] },
  next_cursor: null,
  total_runs: 1,
  trials: 0,
  training: 0,
  total: 2,
});
const onPage = (key: readonly unknown[]) => client.getQueryData<RunPage>(key)?.runs[0];

beforeEach(() => {
  client = new QueryClient();
  apply = queryBridge(client);
  client.setQueryData(keys.run("a"), { ...run("a"), config: { seed: 7 } });
  client.setQueryData(keys.evaluations("a"), [evaluation("e1")]);
  client.setQueryData(first, page(run("b")));
  client.setQueryData(second, page(run("a")));
});

test("progress reaches the run's page and its line in the list, and asks for nothing", () => {
  apply({ kind: "status", run: run("a", { step: 500 }) });
  const detail = client.getQueryData<RunDetail>(keys.run("a"));
  expect(detail).toMatchObject({ step: 500, config: { seed: 7 } });
  expect(onPage(second)).toMatchObject({ id: "a", step: 500 });
  expect(onPage(first)).toMatchObject({ id: "b", step: 0 });
  expect([stale(keys.run("a")), stale(first), stale(second)]).toEqual([false, false, false]);
});

test("a change of status is shown at once, and asked about once more", () => {
  apply({ kind: "status", run: run("a", { status: "stopped" }) });
  expect(client.getQueryData<RunDetail>(keys.run("a"))?.status).toBe("stopped");
  expect([stale(keys.run("a")), stale(first), stale(second)]).toEqual([true, true, true]);
});

test("what a page asks for at intervals while a run trains is asked for once more when it has ended", () => {
  client.setQueryData(keys.hints("a"), []);
  client.setQueryData(keys.tail("a", "worker.log"), "");
  apply({ kind: "status", run: run("a", { status: "completed" }) });
  expect([stale(keys.hints("a")), stale(keys.tail("a", "worker.log"))]).toEqual([true, true]);
});

test("what was said of a run that is solved since is asked for once more", () => {
  client.setQueryData(keys.hints("a"), []);
  const solved = { step: 400, seconds: 3, by: "evaluation", threshold: 475 } as const;
  apply({ kind: "status", run: run("a", { solved }) });
  expect(stale(keys.hints("a"))).toBe(true);
});

test("progress of a run on one page leaves the other pages as they are", () => {
  const untouched = client.getQueryData(first);
  apply({ kind: "status", run: run("a", { step: 500 }) });
  expect(client.getQueryData(first)).toBe(untouched);
});

test("a run is known to a list that holds it on any page, and to no other list", () => {
  const filtered = keys.runPage({ q: "x" }, 0);
  client.setQueryData(filtered, page(run("c")));
  apply({ kind: "status", run: run("a", { step: 500 }) });
  expect([stale(first), stale(filtered)]).toEqual([false, true]);
});

test("a run that is moved in the queue makes the lists ask for the places of the others", () => {
  const queued = (id: string, queue_position: number) =>
    run(id, { status: "queued", queue_position });
  client.setQueryData(first, page(queued("q", 3)));
  client.setQueryData(keys.run("other"), queued("other", 1));
  apply({ kind: "status", run: queued("q", 3) });
  client.setQueryData(keys.run("other"), queued("other", 1));
  client.setQueryData(first, page(queued("q", 3)));
  apply({ kind: "status", run: queued("q", 1) });
  expect([stale(first), stale(keys.run("other"))]).toEqual([true, true]);
});

test("a run the list does not know makes it ask", () => {
  apply({ kind: "status", run: run("new") });
  expect([stale(first), stale(second)]).toEqual([true, true]);
  expect(client.getQueryData(keys.run("new"))).toBeUndefined();
});

test("a list of named runs follows them, and never asks which runs it has", () => {
  const named = keys.runsById(["c"]);
  client.setQueryData(named, page(run("c")));
  apply({ kind: "status", run: run("new") });
  apply({ kind: "status", run: run("c", { status: "stopped" }) });
  expect(stale(named)).toBe(false);
  expect(client.getQueryData<RunPage>(named)?.runs[0]?.status).toBe("stopped");
});

test("an evaluation is added once and then updated", () => {
  const key = keys.evaluations("a");
  apply({ kind: "evaluation", evaluation: evaluation("e2") });
  apply({
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
  apply({
    kind: "evaluation",
    evaluation: evaluation("e1", { status: "completed" }),
  });
  expect(stale(keys.evaluations("a"))).toBe(true);
});

test("after a reconnection everything that changes is asked for, what is fixed is not", () => {
  client.setQueryData(keys.algorithms, []);
  apply({ kind: "reconnected" });
  expect([stale(keys.run("a")), stale(second), stale(keys.evaluations("a"))]).toEqual([
    true,
    true,
    true,
  ]);
  expect(stale(keys.algorithms)).toBe(false);
});

test("what failed while the service was away is asked for again", async () => {
  const failing = { queryKey: keys.environments, queryFn: () => Promise.reject(new Error("away")) };
  await client.fetchQuery({ ...failing, retry: false }).catch(() => {});
  apply({ kind: "reconnected" });
  expect(stale(keys.environments)).toBe(true);
});

describe("two runs", () => {
  const age = (key: readonly unknown[]) => client.getQueryState(key)?.dataUpdatedAt;

  test("progress of one neither hides that the list is old nor makes it young", () => {
    apply({ kind: "status", run: run("new") });
    client.setQueryData(second, client.getQueryData(second), { updatedAt: 5 });
    apply({ kind: "status", run: run("new2") });
    apply({ kind: "status", run: run("a", { step: 500 }) });
    expect(onPage(second)).toMatchObject({ step: 500 });
    expect([stale(second), age(second)]).toEqual([true, 5]);
  });

  test("one that the list does not show makes it ask once, not at every step", () => {
    apply({ kind: "status", run: run("new") });
    client.setQueryData(first, client.getQueryData(first));
    apply({ kind: "status", run: run("new", { step: 500 }) });
    expect(stale(first)).toBe(false);
    apply({ kind: "status", run: run("new", { status: "completed" }) });
    expect(stale(first)).toBe(true);
  });

  test("a change of one moves the queue that another waits in", () => {
    client.setQueryData(keys.run("b"), { ...run("b", { status: "queued" }), config: {} });
    apply({ kind: "status", run: run("a", { status: "completed" }) });
    expect(stale(keys.run("b"))).toBe(true);
    client.setQueryData(keys.run("b"), client.getQueryData(keys.run("b")));
    apply({ kind: "status", run: run("a", { status: "completed", step: 9 }) });
    expect(stale(keys.run("b"))).toBe(false);
  });
});

test("after any reopening the list is asked for, what a page shows of a run is not", () => {
  apply({ kind: "reopened" });
  expect([stale(first), stale(keys.run("a"))]).toEqual([true, false]);
});

test("a refused stream asks whether its runs still exist", () => {
  apply({ kind: "refused", cursors: false });
  expect([stale(keys.run("a")), stale(keys.evaluations("a"))]).toEqual([true, true]);
});
