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

test("a changed experiment is reloaded, in the list too", () => {
  apply({ kind: "experiment", id: "e" });
  expect([stale(keys.experiment("e")), stale(keys.experiments)]).toEqual([true, true]);
});

test("an unknown experiment reloads the list, because a command has started it", () => {
  apply({ kind: "experiment", id: "new" });
  expect([stale(keys.experiment("e")), stale(keys.experiments)]).toEqual([false, true]);
});

test("a training trial and its experiment advance with the run, without a request", () => {
  status("a");
  expect(known().cells[0]).toMatchObject({ trained: 0.6, progress: 0.6, sparkline: [1, 2] });
  expect(known().progress).toBeCloseTo(0.4);
  expect([stale(keys.experiment("e")), stale(results), stale(keys.experiments)]).toEqual([
    false,
    false,
    false,
  ]);
});

test("an ended trial is unchanged and other runs change nothing", () => {
  const before = known();
  status("b");
  client.setQueryData(keys.experiment("e"), before);
  status("b", { step: 700 });
  status("other");
  expect(known()).toBe(before);
});

test("server-side values are reloaded periodically while runs train, and then no more", () => {
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

test("a status change of a run reloads its experiment immediately", () => {
  status("a", { status: "completed", step: 1_000 });
  expect(stale(keys.experiment("e"))).toBe(true);
  expect(known().cells[0]).toMatchObject({ trained: 1 });
});

test("after a reconnection experiments and everything shown of them are reloaded", () => {
  apply({ kind: "reconnected" });
  expect([stale(keys.experiment("e")), stale(results), stale(keys.experiments)]).toEqual([
    true,
    true,
    true,
  ]);
});
