import { beforeEach, describe, expect, test } from "vitest";
import type { MetricRow } from "@/api/types";
import { FakeTimers } from "@/lib/testing/timers";
import { EventStreamClient, type EventStreamOptions } from "./event-stream-client";
import type { StreamEvent } from "./events";
import { FakeSource } from "./testing";

const row = (seq: number): MetricRow => ({ seq, time: seq, step: seq * 10, values: {} });

let sources: FakeSource[];
let timers: FakeTimers;
let options: EventStreamOptions;
let client: EventStreamClient;
let events: StreamEvent[];
/** The events of the first connection. */
let begun: StreamEvent[];
const current = () => sources.at(-1)!;
const seqs = () => {
  const got: number[] = [];
  const onRows = (rows: MetricRow[]) => got.push(...rows.map(({ seq }) => seq));
  return [got, onRows] as const;
};

beforeEach(() => {
  sources = [];
  events = [];
  timers = new FakeTimers();
  options = {
    url: "/api/stream",
    timers,
    since: 1_000,
    random: () => 0.5,
    open: (url) => {
      const source = new FakeSource(url);
      sources.push(source);
      return source;
    },
  };
  client = new EventStreamClient(options);
  client.onEvent((event) => events.push(event));
  client.start();
  current().connect();
  begun = events.splice(0);
});

function follow(run: string, cursor: string) {
  const [got, onRows] = seqs();
  const release = client.follow(run, cursor, onRows);
  timers.advance(0);
  current().connect();
  return [got, release] as const;
}

describe("one connection", () => {
  test("without a followed run it still carries the list", () => {
    expect(current().url).toBe("/api/stream?notified=1000");
    expect(client.state.get()).toBe("live");
  });

  test("two runs followed together open one new source that names both", () => {
    const [, onRows] = seqs();
    client.follow("a", "a:5", onRows);
    client.follow("b", "b:7", onRows);
    timers.advance(0);
    expect(sources).toHaveLength(2);
    expect(sources[0]!.readyState).toBe(2);
    expect(current().query.get("runs")).toBe("a,b");
    expect(current().query.get("last_event_id")).toBe("a:5,b:7");
  });

  test("a second follower of a run needs no new connection", () => {
    follow("a", "a:1");
    const [got, onRows] = seqs();
    client.follow("a", "a:1", onRows);
    timers.advance(0);
    expect(sources).toHaveLength(2);
    current().emit("metrics", { run_id: "a", rows: [row(1)] }, "a:9");
    expect(got).toEqual([1]);
  });

  test("a second follower gets only events after its own cursor", () => {
    const [first] = follow("a", "a:10");
    const [second, onRows] = seqs();
    client.follow("a", "a:30", onRows);
    current().emit("metrics", { run_id: "a", rows: [row(1)] }, "a:20");
    current().emit("metrics", { run_id: "a", rows: [row(2), row(3)] }, "a:40");
    expect(current().query.get("last_event_id")).toBe("a:30");
    current().emit("metrics", { run_id: "a", rows: [row(3), row(4)] }, "a:50");
    expect([first, second]).toEqual([
      [1, 2, 3, 4],
      [3, 4],
    ]);
  });

  test("a second follower that is behind misses nothing, and the first gets nothing twice", () => {
    const [first] = follow("a", "a:10");
    current().emit("metrics", { run_id: "a", rows: [row(1), row(2)] }, "a:30");
    const [second, onRows] = seqs();
    client.follow("a", "a:20", onRows);
    expect(current().query.get("last_event_id")).toBe("a:20");
    current().emit("metrics", { run_id: "a", rows: [row(2), row(3)] }, "a:40");
    expect([first, second]).toEqual([
      [1, 2, 3],
      [2, 3],
    ]);
  });

  test("a run is requested until its last follower is gone", () => {
    const [, releaseFirst] = follow("a", "a:1");
    const releaseSecond = client.follow("a", "a:1", () => {});
    releaseFirst();
    releaseFirst();
    timers.advance(0);
    expect(current().query.get("runs")).toBe("a");
    releaseSecond();
    timers.advance(0);
    expect(current().query.get("runs")).toBeNull();
  });
});

describe("resuming", () => {
  test("a changed set of runs continues from the position of each run", () => {
    follow("a", "a:1");
    current().emit("metrics", { run_id: "a", rows: [row(1)] }, "a:120");
    follow("b", "b:7");
    expect(current().query.get("last_event_id")).toBe("a:120,b:7");
  });

  test("duplicate rows are delivered once", () => {
    const [got] = follow("a", "a:1");
    current().emit("metrics", { run_id: "a", rows: [row(1), row(2)] }, "a:2");
    current().emit("metrics", { run_id: "a", rows: [row(2), row(3)] }, "a:3");
    current().emit("metrics", { run_id: "a", rows: [row(3)] }, "a:3");
    expect(got).toEqual([1, 2, 3]);
  });

  test("a replaced source is ignored", () => {
    const [got] = follow("a", "a:1");
    const old = current();
    follow("b", "b:1");
    old.emit("metrics", { run_id: "a", rows: [row(1)] }, "a:2");
    old.fail({ forGood: true });
    expect(got).toEqual([]);
    expect(client.state.get()).toBe("live");
  });

  test("a deleted run is not requested again", () => {
    follow("a", "a:1");
    current().emit("end", { run_id: "a", status: "deleted" });
    timers.advance(0);
    expect(current().query.get("runs")).toBeNull();
  });
});

describe("reconnecting", () => {
  test("while the browser reconnects automatically, no second source is opened", () => {
    current().fail({ forGood: false });
    expect(client.state.get()).toBe("reconnecting");
    timers.advance(60_000);
    expect(sources).toHaveLength(1);
    current().connect();
    expect(client.state.get()).toBe("live");
    expect(events).toEqual([{ kind: "reconnected" }]);
  });

  test("a failed source is replaced with growing delays", () => {
    const waits = [500, 1000, 2000, 4000, 8000, 10_000, 10_000];
    for (const [i, wait] of waits.entries()) {
      current().fail({ forGood: true });
      timers.advance(wait - 1);
      expect(sources).toHaveLength(i + 1);
      timers.advance(1);
      expect(sources).toHaveLength(i + 2);
    }
    current().connect();
    current().fail({ forGood: true });
    timers.advance(500);
    expect(sources).toHaveLength(waits.length + 2);
  });

  test("a returning network is tried immediately", () => {
    client.markDropped();
    expect(client.state.get()).toBe("reconnecting");
    client.retryNow();
    expect(sources).toHaveLength(2);
    current().connect();
    expect(events).toEqual([{ kind: "reconnected" }]);
  });

  test("the first connection is not a reconnection", () => {
    expect(begun).toEqual([{ kind: "opened" }]);
  });

  test("a page paused before it starts opens no connection until it resumes, and then one", () => {
    const hidden = new EventStreamClient(options);
    const opened = sources.length;
    hidden.pause();
    expect([hidden.state.get(), sources.length]).toEqual(["paused", opened]);
    hidden.resume();
    hidden.resume();
    expect([hidden.state.get(), sources.length]).toEqual(["connecting", opened + 1]);
  });

  test("a resumed page is not shown as reconnecting unless it fails", () => {
    client.pause();
    expect(client.state.get()).toBe("paused");
    client.resume();
    expect(client.state.get()).toBe("live");
    current().fail({ forGood: true });
    expect(client.state.get()).toBe("reconnecting");
  });

  test("a pause releases the connection; resuming continues from its position", () => {
    follow("a", "a:5");
    const paused = current();
    client.pause();
    expect(paused.readyState).toBe(2);
    timers.advance(60_000);
    expect(current()).toBe(paused);
    client.start();
    current().connect();
    expect(current().query.get("last_event_id")).toBe("a:5");
    expect(events.at(-1)).toEqual({ kind: "reconnected" });
  });

  test("a newly opened stream says so, because status events may have been missed", () => {
    follow("a", "a:5");
    expect(events).toEqual([{ kind: "reopened" }]);
  });

  test("a source that never opened was refused; two in a row make the cursors unreliable", () => {
    follow("a", "a:5");
    current().fail({ forGood: true });
    timers.advance(500);
    events.length = 0;
    current().fail({ forGood: true });
    timers.advance(1000);
    current().fail({ forGood: true });
    expect(events).toEqual([
      { kind: "refused", cursors: false },
      { kind: "refused", cursors: true },
    ]);
  });

  test("a stopped client opens nothing more", () => {
    current().fail({ forGood: true });
    client.stop();
    timers.advance(60_000);
    client.retryNow();
    expect(sources).toHaveLength(1);
  });
});

test("a notification is shown once, and the next connection continues after it", () => {
  const notified = () =>
    events.flatMap((event) => (event.kind === "notification" ? event.notification.number : []));
  current().emit("notification", { notification: { number: 1_500 } });
  current().emit("notification", { notification: { number: 1_500 } });
  client.pause();
  client.start();
  expect(current().query.get("notified")).toBe("1500");
  current().emit("notification", { notification: { number: 1_400 } });
  current().emit("notification", { notification: { number: 1_600 } });
  expect(notified()).toEqual([1_500, 1_600]);
});
