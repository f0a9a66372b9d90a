import { beforeEach, expect, test } from "vitest";
import { watchPageVisibility } from "./page-visibility";
import { FakeTimers } from "@/lib/time/testing";

class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  setVisibility(state: DocumentVisibilityState) {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let page: Page;
let timers: FakeTimers;
let reported: string[];
let unwatch: () => void;

beforeEach(() => {
  page = new Page();
  timers = new FakeTimers();
  reported = [];
  unwatch = watchPageVisibility(page, timers, {
    onLeft: () => reported.push("left"),
    onReturned: () => reported.push("returned"),
  });
});

test("a page that is hidden for a moment is not reported", () => {
  page.setVisibility("hidden");
  timers.advance(29_999);
  page.setVisibility("visible");
  timers.advance(60_000);
  expect(reported).toEqual([]);
});

test("a hidden page is reported as left once, and as returned to once", () => {
  page.setVisibility("hidden");
  timers.advance(30_000);
  timers.advance(30_000);
  page.setVisibility("visible");
  expect(reported).toEqual(["left", "returned"]);
});

test("nothing is reported after the watch has ended", () => {
  page.setVisibility("hidden");
  unwatch();
  timers.advance(60_000);
  expect(reported).toEqual([]);
});
