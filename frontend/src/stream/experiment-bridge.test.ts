import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, test } from "vitest";
import { keys } from "@/api/keys";
import type { Experiment, Run } from "@/api/types";
import { FakeTimers } from "@/lib/testing/timers";
import { experimentBridge, REFRESH_MS } from "./experiment-events";

let client: QueryClient;
let timers: FakeTimers;
let apply: ReturnType<typeof experimentBridge>;

const results = keys.experimentResults("e", "trial", null);
const cell = (run_id: string, change = {}) => ({
  ...{ run_id, status: "training", progress: 0.5, trained: 0.5, sparkline: [1], ...change },
});
const status = (id: string, change: Partial<Run> = {}) =>
  apply({
    kind: "status",
    run: {
      id,
      status: "running",
      step: 600,
      total_timesteps: 1_000,
      sparkline: [1, 2],
      ...change,
    } as Run,
  });
const stale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
const known = () => client.getQueryData<Experiment>(keys.experiment("e"))!;

beforeEach(() => {
  client = new QueryClient();
  timers = new FakeTimers();
  apply = experimentBridge(client, timers);
  const cells = [cell("a"), cell("b", { status: "scored", progress: 1, trained: 1 })];
  const experiment = { id: "e", status: "running", total_timesteps: 4_000, progress: 0.375, cells };
  client.setQueryData(keys.experiment("e"), experiment);
  client.setQueryData(results, {});
  client.setQueryData(keys.experiments, { experiments: [experiment] });
  status("a", { step: 500 }); // known from now on to train
  client.setQueryData(keys.experiment("e"), known());
  client.setQueryData(keys.experiments, { experiments: [experiment] });
});

test("an experiment that has changed is asked for, in the list too", () => {
  apply({ kind: "experiment", id: "e" });
  expect([stale(keys.experiment("e")), stale(keys.experiments)]).toEqual([true, true]);
});

test("an experiment that is not shown anywhere makes the list ask: a command has begun it", () => {
  apply({ kind: "experiment", id: "new" });
  expect([stale(keys.experiment("e")), stale(keys.experiments)]).toEqual([false, true]);
});

test("a trial that trains gets on with its run, and so does the whole, without a request", () => {
  status("a");
  expect(known().cells[0]).toMatchObject({ trained: 0.6, progress: 0.6, sparkline: [1, 2] });
  expect(known().progress).toBeCloseTo(0.4);
  expect([stale(keys.experiment("e")), stale(results), stale(keys.experiments)]).toEqual([
    false,
    false,
    false,
  ]);
});

test("a trial that has ended stays as it was, and other runs change nothing", () => {
  const before = known();
  status("b");
  client.setQueryData(keys.experiment("e"), before);
  status("b", { step: 700 });
  status("other");
  expect(known()).toBe(before);
});

test("what only the service can tell is asked for now and then while runs train, and then no more", () => {
  status("a");
  timers.advance(REFRESH_MS);
  expect([stale(keys.experiment("e")), stale(results), stale(keys.experiments)]).toEqual([
    true,
    true,
    true,
  ]);
  for (const key of [keys.experiment("e"), results])
    client.setQueryData(key, client.getQueryData(key));
  timers.advance(10 * REFRESH_MS);
  expect([stale(keys.experiment("e")), stale(results)]).toEqual([false, false]);
});

test("a run in another status makes its experiment ask at once", () => {
  status("a", { status: "completed", step: 1_000 });
  expect(stale(keys.experiment("e"))).toBe(true);
  expect(known().cells[0]).toMatchObject({ trained: 1 });
});

test("after a reconnection experiments and all that is shown of them are asked for", () => {
  apply({ kind: "reconnected" });
  expect([stale(keys.experiment("e")), stale(results), stale(keys.experiments)]).toEqual([
    true,
    true,
    true,
  ]);
});
