import { beforeEach, expect, test } from "vitest";
import { FakeTimers } from "@/lib/testing/timers";
import { watchPageVisibility } from "./page-visibility";

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
    onSeen: () => reported.push("seen"),
  });
});

test("a briefly hidden page is not reported", () => {
  page.setVisibility("hidden");
  timers.advance(29_999);
  page.setVisibility("visible");
  timers.advance(60_000);
  expect(reported).toEqual(["seen"]);
});

test("a hidden page is reported once as hidden and once as visible", () => {
  page.setVisibility("hidden");
  timers.advance(30_000);
  timers.advance(30_000);
  page.setVisibility("visible");
  expect(reported).toEqual(["seen", "left", "seen"]);
});

test("nothing is reported after the end of the watch", () => {
  page.setVisibility("hidden");
  unwatch();
  timers.advance(60_000);
  expect(reported).toEqual(["seen"]);
});

test("a page opened in the background is reported as hidden immediately, and as visible later", () => {
  unwatch();
  reported = [];
  page.visibilityState = "hidden";
  watchPageVisibility(page, timers, {
    onLeft: () => reported.push("left"),
    onSeen: () => reported.push("seen"),
  });
  expect(reported).toEqual(["left"]);
  timers.advance(60_000);
  page.setVisibility("visible");
  expect(reported).toEqual(["left", "seen"]);
});
