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

test("progress updates the page of the run and its row in the list without a request", () => {
  apply({ kind: "status", run: run("a", { step: 500 }) });
  const detail = client.getQueryData<RunDetail>(keys.run("a"));
  expect(detail).toMatchObject({ step: 500, config: { seed: 7 } });
  expect(onPage(second)).toMatchObject({ id: "a", step: 500 });
  expect(onPage(first)).toMatchObject({ id: "b", step: 0 });
  expect([stale(keys.run("a")), stale(first), stale(second)]).toEqual([false, false, false]);
});

test("a status change is shown immediately and reloaded once", () => {
  apply({ kind: "status", run: run("a", { status: "stopped" }) });
  expect(client.getQueryData<RunDetail>(keys.run("a"))?.status).toBe("stopped");
  expect([stale(keys.run("a")), stale(first), stale(second)]).toEqual([true, true, true]);
});

test("periodic requests are repeated once more when the run has ended", () => {
  client.setQueryData(keys.hints("a"), []);
  client.setQueryData(keys.tail("a", "worker.log"), "");
  apply({ kind: "status", run: run("a", { status: "completed" }) });
  expect([stale(keys.hints("a")), stale(keys.tail("a", "worker.log"))]).toEqual([true, true]);
});

test("data of a run solved meanwhile is reloaded once", () => {
  client.setQueryData(keys.hints("a"), []);
  const solved = { step: 400, seconds: 3, by: "evaluation", threshold: 475 } as const;
  apply({ kind: "status", run: run("a", { solved }) });
  expect(stale(keys.hints("a"))).toBe(true);
});

test("progress of a run on one page of the list leaves the other pages unchanged", () => {
  const untouched = client.getQueryData(first);
  apply({ kind: "status", run: run("a", { step: 500 }) });
  expect(client.getQueryData(first)).toBe(untouched);
});

test("a run is found on any page of its list and in no other list", () => {
  const filtered = keys.runPage({ q: "x" }, 0);
  client.setQueryData(filtered, page(run("c")));
  apply({ kind: "status", run: run("a", { step: 500 }) });
  expect([stale(first), stale(filtered)]).toEqual([false, true]);
});

test("moving a queued run makes the lists reload the positions of the others", () => {
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

test("the queue is not reloaded while the user moves runs in it", () => {
  const queued = (queue_position: number) => run("q", { status: "queued", queue_position });
  client.setQueryData(first, page(queued(3)));
  client.setQueryData(keys.queue, page(queued(3)));
  const mutationFn = () => new Promise(() => {});
  const move = client
    .getMutationCache()
    .build(client, { mutationKey: keys.queueMoves, mutationFn });
  void move.execute(undefined);
  apply({ kind: "status", run: queued(2) });
  expect([stale(first), stale(keys.queue)]).toEqual([true, false]);
  client.getMutationCache().clear();
  apply({ kind: "status", run: queued(1) });
  expect(stale(keys.queue)).toBe(true);
});

test("an unknown run reloads the list", () => {
  apply({ kind: "status", run: run("new") });
  expect([stale(first), stale(second)]).toEqual([true, true]);
  expect(client.getQueryData(keys.run("new"))).toBeUndefined();
});

test("a list of named runs follows them and never reloads which runs it has", () => {
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

test("a completed evaluation reloads the list, because a video may have been retired", () => {
  apply({
    kind: "evaluation",
    evaluation: evaluation("e1", { status: "completed" }),
  });
  expect(stale(keys.evaluations("a"))).toBe(true);
});

test("after a reconnection variable data is reloaded and immutable data is not", () => {
  client.setQueryData(keys.algorithms, []);
  apply({ kind: "reconnected" });
  expect([stale(keys.run("a")), stale(second), stale(keys.evaluations("a"))]).toEqual([
    true,
    true,
    true,
  ]);
  expect(stale(keys.algorithms)).toBe(false);
});

test("requests that failed while the service was unreachable are repeated", async () => {
  const failing = { queryKey: keys.environments, queryFn: () => Promise.reject(new Error("away")) };
  await client.fetchQuery({ ...failing, retry: false }).catch(() => {});
  apply({ kind: "reconnected" });
  expect(stale(keys.environments)).toBe(true);
});

describe("two runs", () => {
  const age = (key: readonly unknown[]) => client.getQueryState(key)?.dataUpdatedAt;

  test("progress of one run neither hides that the list is stale nor marks it as fresh", () => {
    apply({ kind: "status", run: run("new") });
    client.setQueryData(second, client.getQueryData(second), { updatedAt: 5 });
    apply({ kind: "status", run: run("new2") });
    apply({ kind: "status", run: run("a", { step: 500 }) });
    expect(onPage(second)).toMatchObject({ step: 500 });
    expect([stale(second), age(second)]).toEqual([true, 5]);
  });

  test("a run that the list does not show reloads it once, not at every step", () => {
    apply({ kind: "status", run: run("new") });
    client.setQueryData(first, client.getQueryData(first));
    apply({ kind: "status", run: run("new", { step: 500 }) });
    expect(stale(first)).toBe(false);
    apply({ kind: "status", run: run("new", { status: "completed" }) });
    expect(stale(first)).toBe(true);
  });

  test("a change of one run moves the queue in which another waits", () => {
    client.setQueryData(keys.run("b"), { ...run("b", { status: "queued" }), config: {} });
    apply({ kind: "status", run: run("a", { status: "completed" }) });
    expect(stale(keys.run("b"))).toBe(true);
    client.setQueryData(keys.run("b"), client.getQueryData(keys.run("b")));
    apply({ kind: "status", run: run("a", { status: "completed", step: 9 }) });
    expect(stale(keys.run("b"))).toBe(false);
  });
});

test("after any reopening the list is reloaded and the page of a run is not", () => {
  apply({ kind: "reopened" });
  expect([stale(first), stale(keys.run("a"))]).toEqual([true, false]);
});

test("a refused stream checks whether its runs still exist", () => {
  apply({ kind: "refused", cursors: false });
  expect([stale(keys.run("a")), stale(keys.evaluations("a"))]).toEqual([true, true]);
});
