import { expect, test } from "vitest";
import type { StepRecord } from "@/api/types";
import { createStore } from "@/lib/store";
import { FakeTimers } from "@/lib/testing/timers";
import type { Phase } from "@/player/session/session-machine";
import { recordOf } from "@/player/session/testing";
import { Lockstep, type Player } from "./lockstep";

/** A session whose episodes have so many steps, and that answers when the test says so. */
function player(length: number, phase: Phase = "live") {
  const newest = createStore<StepRecord | null>(null);
  const state = createStore<{ phase: Phase; seed: number | null }>({ phase, seed: null });
  const seeds: (number | undefined)[] = [];
  let due: { record: StepRecord; seed: number | null } | null = null;
  const asked: Player = {
    ...{ state, newest },
    pause: () => {},
    forward: () => {
      const { index = 0, episode = 0 } = newest.get() ?? {};
      const terminated = index + 1 === length;
      due = { record: recordOf(index + 1, { episode, terminated }), seed: state.get().seed };
    },
    reset: (seed) => {
      seeds.push(seed);
      due = { record: recordOf(0, { episode: seeds.length }), seed: seed ?? null };
    },
  };
  const answer = () => {
    if (!due) return;
    state.set({ ...state.get(), seed: due.seed });
    newest.set(due.record);
    due = null;
  };
  return { asked, answer, seeds, state, newest, at: () => newest.get()?.index ?? null };
}

function inStep(...players: ReturnType<typeof player>[]) {
  const timers = new FakeTimers();
  const clock = { timers, now: () => timers.now };
  const lockstep = new Lockstep(
    players.map(({ asked }) => asked),
    clock,
    10,
  );
  lockstep.start();
  const pass = (ticks: number, answering = players) => {
    for (let i = 0; i < ticks; i += 1) {
      for (const { answer } of answering) answer();
      timers.advance(100);
    }
    for (const { answer } of answering) answer();
  };
  return { lockstep, pass, places: () => players.map(({ at }) => at()) };
}

test("all players start on the same seed and take each step together", () => {
  const [a, b] = [player(50), player(50)];
  const { pass, places } = inStep(a, b);
  pass(0);
  expect([a.seeds, b.seeds, places()]).toEqual([[1], [1], [0, 0]]);
  pass(3);
  expect(places()).toEqual([3, 3]);
});

test("no player gets ahead of a slow one", () => {
  const [fast, slow] = [player(50), player(50)];
  const { pass, places } = inStep(fast, slow);
  pass(1);
  pass(5, [fast]);
  expect(places()).toEqual([2, 1]);
  pass(1);
  expect(places()).toEqual([3, 3]);
});

test("a player that does not respond is no longer waited for", () => {
  const [alive, dead] = [player(50), player(50)];
  const { pass, places } = inStep(alive, dead);
  pass(1);
  pass(60, [alive]);
  expect(places()[0]).toBeGreaterThan(2);
});

test("the episodes begin again if the requests of all players were lost", () => {
  const a = player(50);
  const { pass, places } = inStep(a);
  pass(3);
  pass(100, []);
  expect(a.seeds).toEqual([1]);
  pass(60, []);
  pass(2);
  expect([a.seeds, places()]).toEqual([[1, 1], [2]]);
});

test("a player that did not respond for long catches up, and the others wait for it", () => {
  const [alive, asleep] = [player(500), player(500)];
  const { pass, places } = inStep(alive, asleep);
  pass(3);
  pass(40, [alive]);
  const front = places()[0]!;
  expect(front).toBeGreaterThan(10);
  pass(front - 5);
  expect(places()).toEqual([front, front - 1]);
  pass(3);
  expect(places()).toEqual([front + 2, front + 2]);
});

test("a step of the earlier episode that arrives late is not taken for the start of the next", () => {
  const [a, b] = [player(50), player(50)];
  const { pass, places } = inStep(a, b);
  a.newest.set(recordOf(1, { episode: 0 })); // it was playing when it was paused
  pass(3, [b]);
  expect(places()).toEqual([1, 0]);
  pass(2);
  expect(places()).toEqual([2, 2]);
});

test("a player that is behind catches up during a pause", () => {
  const [a, b] = [player(50), player(50)];
  const { lockstep, pass, places } = inStep(a, b);
  pass(2);
  pass(1, [a]);
  b.newest.set(recordOf(1, { episode: 1 })); // one step was lost
  lockstep.setPlaying(false);
  pass(5);
  expect(places()).toEqual([3, 3]);
});

test("a player whose episode is over waits for the others before the next", () => {
  const [short, long] = [player(2), player(4)];
  const { pass, places } = inStep(short, long);
  pass(4);
  expect(places()).toEqual([2, 4]);
  pass(1);
  expect(short.seeds).toEqual([1]);
  pass(14);
  expect([short.seeds, long.seeds]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test("a player that joins late starts with the others", () => {
  const [early, late] = [player(50), player(50, "opening")];
  const { pass, places } = inStep(early, late);
  pass(5);
  late.state.set({ phase: "live", seed: null });
  pass(1);
  expect(places()).toEqual([0, 0]);
  expect(early.seeds).toEqual([1, 2]);
  expect(late.seeds).toEqual([2]);
});

test("all players pause, step and resume together", () => {
  const [a, b] = [player(50), player(50)];
  const { lockstep, pass, places } = inStep(a, b);
  pass(2);
  lockstep.setPlaying(false);
  pass(5);
  expect(places()).toEqual([2, 2]);
  lockstep.stepOnce();
  pass(5);
  expect(places()).toEqual([3, 3]);
  lockstep.setPlaying(true);
  pass(2);
  expect(places()).toEqual([5, 5]);
});

test("a session that was replaced starts with the others, though it counts its episodes from 0 again", () => {
  const [a, b] = [player(50), player(50)];
  const { pass, places } = inStep(a, b);
  pass(3);
  b.state.set({ phase: "waiting", seed: 1 });
  pass(3, [a]);
  expect(places()).toEqual([6, 3]);
  b.seeds.length = 0;
  b.state.set({ phase: "live", seed: null });
  pass(1);
  expect([places(), b.newest.get()?.episode]).toEqual([[0, 0], 1]);
  pass(4);
  expect(places()).toEqual([4, 4]);
});

test("a player that joins during a pause is shown the start with the others", () => {
  const [early, late] = [player(50), player(50, "opening")];
  const { lockstep, pass, places } = inStep(early, late);
  pass(3);
  lockstep.setPlaying(false);
  late.state.set({ phase: "live", seed: null });
  pass(3);
  expect(places()).toEqual([0, 0]);
});

test("no requests are sent after a stop", () => {
  const a = player(50);
  const { lockstep, pass, places } = inStep(a);
  pass(2);
  lockstep.stop();
  pass(5);
  expect(places()).toEqual([2]);
});
