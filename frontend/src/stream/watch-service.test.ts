import { beforeEach, expect, test, vi } from "vitest";
import { createStore } from "@/lib/store";
import type { ConnectionState } from "./events";
import { GRACE_MS, watchService } from "./watch-service";

const BEGIN = Date.UTC(2026, 10, 21, 12);

function watched() {
  const state = createStore<ConnectionState>("live");
  const away = createStore<number | null>(null);
  let answers = false;
  let asked = 0;
  const probe = async () => {
    asked += 1;
    return answers;
  };
  const timers = {
    set: (callback: () => void, ms: number) => window.setTimeout(callback, ms),
    clear: (id: number) => window.clearTimeout(id),
  };
  const stop = watchService({ state, away, probe, timers, now: () => Date.now() });
  return {
    state,
    away,
    stop,
    asked: () => asked,
    answer: (next: boolean) => (answers = next),
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  };
}

beforeEach(() => {
  vi.useFakeTimers({ now: BEGIN });
  vi.stubGlobal("window", globalThis);
});

test("a service counts as unreachable since its stream dropped if it does not respond either", async () => {
  const { state, away, pass } = watched();
  await pass(5_000);
  state.set("reconnecting");
  await pass(GRACE_MS - 1);
  expect(away.get()).toBeNull();
  await pass(1);
  expect(away.get()).toBe(BEGIN + 5_000);
});

test("a stream that returns immediately triggers no check", async () => {
  const { state, away, asked, pass } = watched();
  state.set("reconnecting");
  await pass(GRACE_MS - 1);
  state.set("live");
  await pass(60_000);
  expect([away.get(), asked()]).toEqual([null, 0]);
});

test("a stream refused by a responding service is no outage", async () => {
  const { state, away, answer, pass } = watched();
  answer(true);
  state.set("reconnecting");
  await pass(60_000);
  expect(away.get()).toBeNull();
  answer(false);
  await pass(2_000);
  expect(away.get()).toBe(BEGIN);
});

test("the outage ends when the service responds or the stream is back", async () => {
  const { state, away, answer, pass } = watched();
  state.set("reconnecting");
  await pass(GRACE_MS);
  answer(true);
  await pass(2_000);
  expect(away.get()).toBeNull();
  answer(false);
  await pass(2_000);
  expect(away.get()).not.toBeNull();
  state.set("live");
  expect(away.get()).toBeNull();
});

test("no checks are made after its end", async () => {
  const { state, stop, asked, pass } = watched();
  state.set("reconnecting");
  await pass(GRACE_MS);
  const before = asked();
  stop();
  await pass(60_000);
  expect(asked()).toBe(before);
});
