import { expect, test } from "vitest";
import { ApiError } from "@/api/http";
import { FakeTimers } from "@/lib/testing/timers";
import type { Picture } from "./frame-presenter";
import { SessionClient } from "./session-client";
import { FakeFrames, FakeSocket, helloOf, recordOf } from "./testing";

const settle = () => new Promise((resolve) => setTimeout(resolve));

function client(answers: (string | Error)[] = []) {
  const sockets: FakeSocket[] = [];
  const timers = new FakeTimers();
  const frames = new FakeFrames();
  let asked = 0;
  const session = new SessionClient<Picture>({
    create: async () => {
      asked += 1;
      const answer = answers.shift() ?? `/api/sessions/${asked}/socket`;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    connect: (path) => {
      const socket = new FakeSocket(path);
      sockets.push(socket);
      return socket;
    },
    decode: async () => ({ width: 3, height: 2, close: () => {} }),
    frames,
    timers,
    now: () => timers.now,
    random: () => 0.5,
  });
  return { session, sockets, timers, frames, asked: () => asked, newest: () => sockets.at(-1)! };
}

async function greeted(answers?: (string | Error)[]) {
  const parts = client(answers);
  parts.session.start();
  await settle();
  parts.newest().deliver(helloOf());
  return parts;
}

test("a session is requested, opened and live after its greeting", async () => {
  const { session, sockets } = client();
  session.start();
  expect(session.state.get().phase).toBe("asking");
  await settle();
  expect([session.state.get().phase, sockets[0]!.path]).toEqual([
    "opening",
    "/api/sessions/1/socket",
  ]);
  sockets[0]!.deliver(helloOf({ fps: 30, greedy: false }));
  expect(session.state.get()).toMatchObject({ phase: "live", fps: 30, greedy: false });
});

test("a step and its frame become one moment", async () => {
  const { session, frames, newest } = await greeted();
  newest().tellStep(recordOf(7), "jpeg");
  await settle();
  expect(session.moment.get()).toBeNull();
  frames.run();
  const moment = session.moment.get()!;
  expect([moment.record.index, moment.picture?.width]).toEqual([7, 3]);
  expect(await moment.trace.frame(7)?.text()).toBe("jpeg");
});

test("the finished episode stays available while the next one plays", async () => {
  const { session, newest } = await greeted();
  newest().deliver({ type: "episode", episode: 0, seed: 1 });
  newest().tellStep(recordOf(0));
  newest().tellStep(recordOf(1, { terminated: true }));
  newest().deliver({ type: "episode", episode: 1, seed: 2 });
  newest().tellStep(recordOf(0, { episode: 1 }));
  expect(session.lastEpisode.get()?.records).toHaveLength(2);
});

test("the last frame of an episode belongs to it even after the next one has started", async () => {
  const { session, newest, frames } = await greeted();
  newest().tellStep(recordOf(9, { terminated: true }), "last");
  newest().deliver({ type: "episode", episode: 1, seed: 2 });
  await settle();
  frames.run();
  expect(session.moment.get()?.trace.records.at(-1)?.index).toBe(9);
});

test("the playing policy is known with its step and start time", async () => {
  const { session, newest, timers } = await greeted();
  timers.advance(1500);
  newest().deliver({ type: "policy", step: 12_288 });
  expect(session.state.get().policy).toEqual({ step: 12_288, since: 1500 });
});

test("settings persist after a lost connection", async () => {
  const { session, newest, sockets, timers } = await greeted();
  session.setGreedy(false);
  session.setRate(15);
  session.pause();
  expect(newest().sent).toEqual([
    { type: "greedy", on: false },
    { type: "rate", fps: 15 },
    { type: "pause" },
  ]);
  newest().drop();
  timers.advance(10_000);
  expect(sockets).toHaveLength(2);
  newest().deliver(helloOf());
  expect(
    newest()
      .sent.map(({ type }) => type)
      .sort(),
  ).toEqual(["greedy", "pause", "rate"]);
});

test("without viewers the socket is closed and late messages are ignored", async () => {
  const { session, newest } = await greeted();
  const socket = newest();
  session.stop();
  socket.deliver({ type: "policy", step: 5 });
  expect([socket.closed, session.state.get().policy]).toEqual([true, null]);
});

test("an abandoned session request opens no session", async () => {
  const { session, sockets } = client();
  session.start();
  session.stop();
  await settle();
  expect(sockets).toEqual([]);
});

test("a refusal says why and is retried only on request", async () => {
  const full = new ApiError(409, "Too many sessions", "CartPole-v1 is watched elsewhere.");
  const { session, timers, asked, sockets } = client([full]);
  session.start();
  await settle();
  expect(session.state.get()).toMatchObject({ phase: "refused", refusal: full });
  timers.advance(60_000);
  expect(asked()).toBe(1);
  session.again();
  await settle();
  expect([session.state.get().refusal, sockets.length]).toEqual([null, 1]);
});

test("an unreachable service is retried until it is back", async () => {
  const away = new ApiError(0, "The service does not answer", "");
  const { session, timers, sockets } = client([away, away]);
  session.start();
  await settle();
  expect(session.state.get().phase).toBe("waiting");
  timers.advance(600);
  await settle();
  timers.advance(1500);
  await settle();
  expect(sockets).toHaveLength(1);
});

test("an ended session says why and is not restarted automatically", async () => {
  const { session, newest, timers, asked } = await greeted();
  newest().deliver({ type: "ended", cause: "The environment raised ValueError." });
  newest().drop();
  timers.advance(60_000);
  expect(session.state.get()).toMatchObject({
    phase: "ended",
    cause: "The environment raised ValueError.",
  });
  expect(asked()).toBe(1);
});

test("a refused command is reported until the next one", async () => {
  const { session, newest } = await greeted();
  newest().deliver({ type: "error", detail: "Enter a whole number as seed." });
  expect(session.state.get().complaint).toBe("Enter a whole number as seed.");
  newest().deliver({
    type: "state",
    playing: false,
    fps: 50,
    actor: "policy",
    greedy: true,
    parted_at: null,
  });
  expect(session.state.get()).toMatchObject({ complaint: null, playing: false });
});

test("agent observations become one moment with their frame and are stored with it", async () => {
  const { session, frames, newest } = await greeted();
  session.showSeen(true);
  expect(newest().sent).toContainEqual({ type: "seen", on: true, saliency: false });
  newest().tellSeen(recordOf(3), "jpeg", "png");
  await settle();
  frames.run();
  const moment = session.moment.get()!;
  expect([moment.record.index, moment.seen?.about.pictures]).toEqual([3, 4]);
  expect(await moment.trace.frame(3)!.text()).toBe("jpeg");
  expect(await moment.trace.seen(3)!.data.text()).toBe("png");
  newest().tellStep(recordOf(4), "jpeg");
  await settle();
  frames.run();
  expect(session.moment.get()).toMatchObject({
    record: { index: 4 },
    seen: { about: moment.seen?.about },
  });
});

test("a requested slice is requested again in the session after a lost one", async () => {
  const { session, sockets, newest, timers } = await greeted();
  session.showSlice([2, 3]);
  const slice = { kind: "value", x: { low: 0, high: 1 }, y: { low: 0, high: 1 } } as never;
  newest().deliver({ type: "slice", policy_step: 1, episode: 0, index: 0, over: [2, 3], slice });
  expect(session.slice.get()?.over).toEqual([2, 3]);
  newest().drop();
  timers.advance(60_000);
  await settle();
  expect(sockets).toHaveLength(2);
  newest().deliver(helloOf());
  expect(newest().sent).toContainEqual({ type: "slice", over: [2, 3] });
  session.showSlice(null);
  expect(session.slice.get()).toBeNull();
});

test("another future has its own frames and ends when the session says so", async () => {
  const { session, frames, newest } = await greeted();
  const state = { type: "state", playing: false, fps: 50, actor: "policy", greedy: true } as const;
  newest().tellStep(recordOf(7), "jpeg");
  newest().tellStep(recordOf(7), "jpeg", 1);
  newest().deliver({ ...state, parted_at: 7 });
  newest().tellStep(recordOf(8));
  newest().tellStep(recordOf(8, { reward: 5 }), "jpeg", 1);
  await settle();
  frames.run();
  expect(session.moment.get()?.record.index).toBe(7);
  expect(session.other.get()?.record.reward).toBe(5);
  expect(session.state.get()).toMatchObject({ partedAt: 7, differsAt: 8 });
  newest().deliver({ ...state, parted_at: null });
  expect(session.other.get()).toBeNull();
  expect(session.state.get()).toMatchObject({ partedAt: null, differsAt: null });
});

test("the run that stores played episodes is known as soon as it has one", async () => {
  const { session, newest } = await greeted();
  newest().deliver({ type: "recorded", run_id: "human-x", episodes: 2 });
  expect(session.state.get().recorded).toEqual({ runId: "human-x", episodes: 2 });
});
