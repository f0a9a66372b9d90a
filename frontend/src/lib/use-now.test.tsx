import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { serviceAwaySince } from "./service";
import { useNow } from "./time";

const at = (seconds: number) => Date.UTC(2026, 10, 21, 12, 0, seconds);

beforeEach(() => vi.useFakeTimers({ now: at(0) }));

test.each([
  ["second", 119],
  ["minute", 60],
] as const)("the time advances by the %s", (precision, shown) => {
  const { result } = renderHook(() => useNow(precision));
  expect(result.current).toBe(at(0));
  act(() => void vi.advanceTimersByTime(119_000));
  expect(result.current).toBe(at(shown));
});

test("all users share one interval, which ends with the last of them", () => {
  const first = renderHook(() => useNow("second"));
  const second = renderHook(() => useNow("minute"));
  expect(vi.getTimerCount()).toBe(1);
  first.unmount();
  second.unmount();
  expect(vi.getTimerCount()).toBe(0);
});

test("time stands still while the service is unreachable, and then continues", () => {
  const { result } = renderHook(() => useNow("second"));
  act(() => void vi.advanceTimersByTime(5_000));
  act(() => serviceAwaySince.set(at(3)));
  expect(result.current).toBe(at(3));
  act(() => void vi.advanceTimersByTime(60_000));
  expect(result.current).toBe(at(3));
  act(() => serviceAwaySince.set(null));
  expect(result.current).toBe(at(65));
});
