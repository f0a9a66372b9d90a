import { beforeEach, describe, expect, test } from "vitest";
import type { MetricRow } from "@/api/types";
import type { FakeTimers } from "@/lib/testing/timers";
import { ANSWER_MS, PING_MS } from "./shared-stream";
import { LOOK_MS } from "./stream-hub";
import { FakeOrigin, type FakePage, type FakeSource } from "./testing";

const row = (seq: number): MetricRow => ({ seq, time: seq, step: seq * 10, values: {} });

let origin: FakeOrigin;
let shared: FakeSource[];
let own: FakeSource[];
let timers: FakeTimers;
const page = (options?: Parameters<FakeOrigin["page"]>[0]) => origin.page(options);
const stream = () => origin.stream();
const open = () => origin.open();

beforeEach(() => {
  origin = new FakeOrigin();
  ({ shared, own, timers } = origin);
});

describe("one stream serves all pages", () => {
  test("ten pages share one stream, and the last one closes it", () => {
    const pages = Array.from({ length: 10 }, () => page());
    stream();
    expect([open(), own.length]).toEqual([1, 0]);
    expect(pages.map(({ client }) => client.state.get())).toEqual(Array(10).fill("live"));
    for (const { client } of pages.slice(1)) client.pause();
    stream();
    expect(open()).toBe(1);
    pages[0]!.client.pause();
    timers.advance(1_000);
    expect(open()).toBe(0);
    pages[3]!.client.resume();
    stream();
    expect([open(), pages[3]!.kinds().at(-1)]).toEqual([1, "reconnected"]);
  });

  test("it follows the runs of all pages, and each page gets its own rows from its own cursor", () => {
    const [first, second] = [page(), page()];
    const a = first.follow("a", "10");
    stream();
    const [b, alsoA] = [second.follow("b", "5"), second.follow("a", "30")];
    expect(stream().query.get("runs")?.split(",").sort()).toEqual(["a", "b"]);
    stream().emit("metrics", { run_id: "a", rows: [row(1), row(2)] }, "a:20,b:5");
    stream().emit("metrics", { run_id: "b", rows: [row(7)] }, "a:20,b:9");
    stream().emit("metrics", { run_id: "a", rows: [row(3)] }, "a:30,b:9");
    stream().emit("metrics", { run_id: "a", rows: [row(4)] }, "a:40,b:9");
    expect([a.seqs, b.seqs, alsoA.seqs]).toEqual([[1, 2, 3, 4], [7], [4]]);
  });

  test("a resumed page gets each row once", () => {
    const [first, second] = [page(), page()];
    const [seen, paused] = [first.follow("a"), second.follow("a")];
    stream().emit("metrics", { run_id: "a", rows: [row(1)] }, "a:10");
    second.client.pause();
    stream().emit("metrics", { run_id: "a", rows: [row(2)] }, "a:20");
    second.client.resume();
    expect(stream().query.get("last_event_id")).toBe("a:10");
    stream().emit("metrics", { run_id: "a", rows: [row(2), row(3)] }, "a:30");
    expect([seen.seqs, paused.seqs]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test("events for all pages reach all of them", () => {
    const pages = [page(), page()];
    stream().emit("status", { run: { id: "a" } });
    stream().emit("evaluation", { evaluation: { id: "e" } });
    stream().emit("experiment", { experiment_id: "x" });
    stream().emit("end", { run_id: "a", status: "completed" });
    for (const { kinds } of pages)
      expect(kinds().slice(-4)).toEqual(["status", "evaluation", "experiment", "end"]);
  });

  test("a page that joins later gets the state of its runs, for which the stream is reopened", () => {
    const first = page();
    first.follow("a");
    const before = stream();
    page().follow("a");
    const after = stream();
    expect(after).not.toBe(before);
    expect(first.kinds().at(-1)).toBe("reopened");
  });

  test("a notification is shown once on each page that has not shown it", () => {
    const early = page({ since: 1_000 });
    stream().emit("notification", { notification: { number: 2_000 } });
    const late = page({ since: 3_000 });
    const returned = page({ since: 1_500 });
    expect(stream().query.get("notified")).toBe("1500");
    stream().emit("notification", { notification: { number: 2_000 } });
    stream().emit("notification", { notification: { number: 3_500 } });
    const told = ({ events }: FakePage) =>
      events.flatMap((event) => (event.kind === "notification" ? event.notification.number : []));
    expect([early, returned, late].map(told)).toEqual([[2_000, 3_500], [2_000, 3_500], [3_500]]);
  });

  test("a page beyond the run limit of one stream has its own stream", () => {
    const [first, second] = [page(), page()];
    for (let run = 0; run < 40; run += 1) first.follow(`a-${run}`);
    for (let run = 0; run < 20; run += 1) second.follow(`b-${run}`);
    expect(stream().query.get("runs")?.split(",").length).toBeLessThanOrEqual(50);
    expect(own.at(-1)?.query.get("runs")?.split(",")).toHaveLength(20);
    own.at(-1)?.connect();
    expect(second.client.state.get()).toBe("live");
  });
});

describe("losses", () => {
  test("a lost connection is shown on every page and caught up", () => {
    const pages = [page(), page()];
    const seen = pages.map((each) => each.follow("a"));
    stream().emit("metrics", { run_id: "a", rows: [row(1)] }, "a:10");
    shared.at(-1)!.fail({ forGood: false });
    expect(pages.map(({ client }) => client.state.get())).toEqual(["reconnecting", "reconnecting"]);
    shared.at(-1)!.connect();
    shared.at(-1)!.emit("metrics", { run_id: "a", rows: [row(2)] }, "a:20");
    expect(pages.map(({ client }) => client.state.get())).toEqual(["live", "live"]);
    expect(pages.map(({ kinds }) => kinds().at(-1))).toEqual(["reconnected", "reconnected"]);
    expect(seen.map(({ seqs }) => seqs)).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("a lost service is retried by the hub, not by each page", () => {
    const pages = [page(), page(), page()];
    stream().fail({ forGood: true });
    const before = shared.length;
    timers.advance(500);
    expect([shared.length, own.length]).toEqual([before + 1, 0]);
    shared.at(-1)!.connect();
    expect(pages.map(({ client }) => client.state.get())).toEqual(["live", "live", "live"]);
  });

  test("a refused run does not affect pages that do not follow it", () => {
    const [good, bad] = [page(), page()];
    good.follow("a");
    stream();
    bad.follow("gone");
    timers.advance(0);
    shared.at(-1)!.fail({ forGood: true });
    timers.advance(1_000);
    const [first, second] = own;
    expect([first?.query.get("runs"), second?.query.get("runs")].sort()).toEqual(["a", "gone"]);
    const [mine, other] = first?.query.get("runs") === "a" ? [first, second] : [second, first];
    mine?.connect();
    other?.fail({ forGood: true });
    expect([good.client.state.get(), bad.client.state.get()]).toEqual(["live", "reconnecting"]);
    expect(bad.kinds()).toContain("refused");
  });

  test("without shared workers each page has its own stream", () => {
    const alone = page({ connects: false });
    own[0]!.connect();
    own[0]!.emit("status", { run: { id: "a" } });
    expect([alone.client.state.get(), shared.length]).toEqual(["live", 0]);
    expect(alone.kinds()).toEqual(["opened", "status"]);
    alone.client.pause();
    expect(own[0]!.readyState).toBe(2);
  });

  test("a page does not wait for an unresponsive hub, and shares its stream when it responds", () => {
    const alone = page({ answers: false });
    timers.advance(ANSWER_MS - 1);
    expect(own).toHaveLength(0);
    timers.advance(1);
    own[0]!.connect();
    expect(alone.client.state.get()).toBe("live");
    alone.client.pause();
    alone.client.resume();
    expect(own).toHaveLength(2);

    alone.wire.toPage = true;
    alone.answerLate();
    expect(alone.client.state.get()).toBe("live");
    alone.client.pause();
    alone.client.resume();
    stream();
    expect([own.length, alone.client.state.get()]).toEqual([2, "live"]);
  });

  test("a lost hub is replaced by the page's own stream", () => {
    const left = page();
    const { seqs } = left.follow("a");
    stream().emit("metrics", { run_id: "a", rows: [row(1)] }, "a:10");
    left.wire.toHub = left.wire.toPage = false;
    for (let ping = 0; ping < 5; ping += 1) timers.advance(PING_MS);
    expect(left.client.state.get()).toBe("reconnecting");
    timers.advance(1_000);
    own.at(-1)!.connect();
    expect(own.at(-1)!.query.get("last_event_id")).toBe("a:10");
    own.at(-1)!.emit("metrics", { run_id: "a", rows: [row(2)] }, "a:20");
    expect(seqs).toEqual([1, 2]);
  });

  test("a page that vanished does not keep the stream, and one that is only slow does", () => {
    const gone = page();
    gone.follow("a");
    stream();
    const slow = page();
    slow.follow("b");
    stream();
    gone.wire.toHub = false;
    for (let look = 0; look < 8; look += 1) {
      timers.advance(LOOK_MS);
      stream();
    }
    expect(stream().query.get("runs")).toBe("b");
    slow.client.pause();
    timers.advance(1_000);
    expect(open()).toBe(0);
  });
});
