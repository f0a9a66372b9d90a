import { beforeEach, expect, test } from "vitest";
import { type FrameClock, throttleFrames } from "./live-chart";

let now: number;
let due: { at: number; callback: () => void }[];
let calls: number[];

const clock: FrameClock = {
  now: () => now,
  frameAfter(ms, callback) {
    const entry = { at: now + ms, callback };
    due.push(entry);
    return () => (due = due.filter((other) => other !== entry));
  },
};

function advanceTo(time: number) {
  now = time;
  const ready = due.filter(({ at }) => at <= now);
  due = due.filter(({ at }) => at > now);
  ready.forEach(({ callback }) => callback());
}

beforeEach(() => {
  now = 1000;
  due = [];
  calls = [];
});

const throttled = () => throttleFrames(() => calls.push(now), 250, clock);

test("the first request is served at the next frame", () => {
  throttled()();
  advanceTo(1000);
  expect(calls).toEqual([1000]);
});

test("a thousand requests a second make four calls, and the last request is never lost", () => {
  const request = throttled();
  for (let time = 1000; time < 2000; time += 1) {
    request();
    advanceTo(time);
  }
  expect(calls).toEqual([1000, 1250, 1500, 1750]);
  advanceTo(2000);
  expect(calls).toHaveLength(5);
  advanceTo(3000);
  expect(calls).toHaveLength(5);
});

test("a cancelled request is not served, a later one is", () => {
  const request = throttled();
  request();
  request.cancel();
  advanceTo(1500);
  expect(calls).toEqual([]);
  request();
  advanceTo(1500);
  expect(calls).toEqual([1500]);
});
