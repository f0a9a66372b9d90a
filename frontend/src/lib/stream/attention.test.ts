import { beforeEach, expect, test } from "vitest";
import { watchAttention } from "./attention";
import { FakeTimers } from "./testing";

class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  become(state: DocumentVisibilityState) {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let page: Page;
let timers: FakeTimers;
let told: string[];
let unwatch: () => void;

beforeEach(() => {
  page = new Page();
  timers = new FakeTimers();
  told = [];
  unwatch = watchAttention(page, timers, {
    left: () => told.push("left"),
    back: () => told.push("back"),
  });
});

test("a glance at another tab changes nothing", () => {
  page.become("hidden");
  timers.advance(29_999);
  page.become("visible");
  timers.advance(60_000);
  expect(told).toEqual([]);
});

test("a page left alone is told once, and once more when it is looked at again", () => {
  page.become("hidden");
  timers.advance(30_000);
  timers.advance(30_000);
  page.become("visible");
  expect(told).toEqual(["left", "back"]);
});

test("nothing is told after the watch has ended", () => {
  page.become("hidden");
  unwatch();
  timers.advance(60_000);
  expect(told).toEqual([]);
});
