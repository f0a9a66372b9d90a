import { beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "@/api/http";
import type { MetricCurves } from "@/api/types";
import { FakeTimers } from "@/lib/testing/timers";
import { EventStreamClient } from "../event-stream-client";
import { FakeSource } from "../testing";
import { RunSeries } from "./run-series";
import { RunSeriesLoader } from "./run-series-pool";

const REWARD = "episode/reward";
const history: MetricCurves = {
  run_id: "a",
  x: "step",
  cursor: "a:64",
  broken_lines: 0,
  mean_episodes: 100,
  series: { [REWARD]: { x: [10], y: [1], count: 1 } },
};

let sources: FakeSource[];
let timers: FakeTimers;
let client: EventStreamClient;
let series: RunSeries;

beforeEach(() => {
  sources = [];
  timers = new FakeTimers();
  series = new RunSeries([REWARD]);
  client = new EventStreamClient({
    url: "/api/stream",
    timers,
    since: 0,
    open: (url) => {
      sources.push(new FakeSource(url));
      return sources.at(-1)!;
    },
  });
  client.start();
});

const loaderOf = (answer: () => Promise<MetricCurves>) =>
  new RunSeriesLoader({ runId: "a", series, client, history: answer, timers });

test("the history comes first, then the stream from its cursor", async () => {
  const loader = loaderOf(() => Promise.resolve(history));
  loader.start();
  expect(loader.state.get().phase).toBe("loading");
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
  timers.advance(0);
  expect(sources.at(-1)!.query.get("last_event_id")).toBe("a:64");
  const rows = [{ seq: 2, time: 0, step: 20, values: { [REWARD]: 2 } }];
  sources.at(-1)!.emit("metrics", { run_id: "a", rows }, "a:128");
  expect(series.column(REWARD).length).toBe(2);
});

test("an unreachable service is asked again", async () => {
  const answers = [Promise.reject(new ApiError(0, "silence", "")), Promise.resolve(history)];
  const loader = loaderOf(() => answers.shift()!);
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("failed"));
  timers.advance(1000);
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
});

test("a missing run is not requested again", async () => {
  const answer = vi.fn(() => Promise.reject(new ApiError(404, "No such run", "")));
  const loader = loaderOf(answer);
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("failed"));
  timers.advance(60_000);
  expect(answer).toHaveBeenCalledOnce();
});

test("a response after the page was left changes nothing", async () => {
  const loader = loaderOf(() => Promise.resolve(history));
  loader.start();
  loader.stop();
  await Promise.resolve();
  timers.advance(0);
  expect(series.revision).toBe(0);
  expect(sources.at(-1)!.query.get("runs")).toBeNull();
});

test("a position refused twice is replaced by that of a fresh history without duplicate rows", async () => {
  const answers = [history, { ...history, cursor: "a:32" }];
  const loader = loaderOf(() => Promise.resolve(answers.shift()!));
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
  timers.advance(0);
  sources.at(-1)!.fail({ forGood: true });
  timers.advance(1000);
  sources.at(-1)!.fail({ forGood: true });
  await vi.waitFor(() => expect(answers).toHaveLength(0));
  await Promise.resolve();
  timers.advance(3000);
  expect(sources.at(-1)!.query.get("last_event_id")).toBe("a:32");
  expect(series.column(REWARD).length).toBe(1);
});

test("another smoothing reloads thinned curves when the slider stops", async () => {
  const thinned = { [REWARD]: { x: [10, 90], y: [1, 9], count: 5_000 } };
  const asked: (number | undefined)[] = [];
  const loader = new RunSeriesLoader({
    ...{ runId: "a", series, client, timers },
    history: ({ smoothing }) => {
      asked.push(smoothing);
      return Promise.resolve({ ...history, series: thinned });
    },
  });
  loader.setSmoothing(0.9);
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
  for (const smoothing of [0.91, 0.92, 0.93]) {
    loader.setSmoothing(smoothing);
    timers.advance(100);
  }
  expect(asked).toEqual([0.9]);
  timers.advance(100);
  await vi.waitFor(() => expect(asked).toEqual([0.9, 0.93]));
});

test("another smoothing requests nothing if every point is available", async () => {
  const answer = vi.fn(() => Promise.resolve(history));
  const loader = loaderOf(answer);
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
  loader.setSmoothing(0.9);
  timers.advance(10_000);
  expect(answer).toHaveBeenCalledOnce();
});

test("a history from which rows were removed is reloaded", async () => {
  const answer = vi.fn(() => Promise.resolve(history));
  const loader = loaderOf(answer);
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
  loader.setSuperseded(0);
  expect(answer).toHaveBeenCalledOnce();
  loader.setSuperseded(1);
  await vi.waitFor(() => expect(answer).toHaveBeenCalledTimes(2));
});

test("by episodes live rows are after those that ended before", async () => {
  const episodes = { "episode/index": { x: [1, 40], y: [1, 40], count: 40 } };
  const loader = new RunSeriesLoader({
    ...{ runId: "a", series, client, timers, axis: "episode" as const },
    history: () => Promise.resolve({ ...history, x: "episode", series: episodes }),
  });
  loader.start();
  await vi.waitFor(() => expect(loader.state.get().phase).toBe("ready"));
  series.append([{ seq: 2, time: 0, step: 20, values: { [REWARD]: 2 } }]);
  expect(series.column(REWARD).x[0]).toBe(40);
});
