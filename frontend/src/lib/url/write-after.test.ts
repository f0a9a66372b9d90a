import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeAfter, writeAtOnce } from "./write-after";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(writeAtOnce);

test("a write waits for its pause, and is done once", () => {
  const write = vi.fn();
  writeAfter(200, write);
  vi.advanceTimersByTime(199);
  expect(write).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(write).toHaveBeenCalledOnce();
  writeAtOnce();
  vi.runAllTimers();
  expect(write).toHaveBeenCalledOnce();
});

test("all that wait are done at once, in their order, but for what was taken back", () => {
  const done: string[] = [];
  writeAfter(200, () => done.push("late"));
  writeAfter(100, () => done.push("early"));
  const forget = writeAfter(150, () => done.push("taken back"));
  forget();
  writeAtOnce();
  expect(done).toEqual(["late", "early"]);
  vi.runAllTimers();
  expect(done).toEqual(["late", "early"]);
});
