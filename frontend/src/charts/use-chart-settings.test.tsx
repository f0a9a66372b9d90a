import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { ChartGroup } from "./chart-group";
import { useChartSettings } from "./chart-settings";

beforeEach(() => {
  vi.useFakeTimers();
  window.history.replaceState(null, "", "/analyse?log=old");
});

const charts = () => renderHook(() => useChartSettings(new ChartGroup()));
const pass = () => act(() => vi.advanceTimersByTimeAsync(1_000));

test("charts of one page write only the changes of each", async () => {
  const [one, other] = [charts(), charts()];
  act(() => one.result.current[1]({ smoothing: 0.5 }));
  act(() => one.result.current[1]({ outliers: true }));
  await pass();
  act(() => other.result.current[1]({ events: false }));
  await pass();
  expect(window.location.search).toBe("?log=old&smooth=0.5&outliers=1&events=0");
  expect(one.result.current[0]).toMatchObject({ smoothing: 0.5, outliers: true });
});

test("two changes at once are both kept", async () => {
  const { result } = charts();
  act(() => {
    result.current[1]({ smoothing: 0.5 });
    result.current[1]({ outliers: true });
  });
  expect(result.current[0]).toMatchObject({ smoothing: 0.5, outliers: true });
  await pass();
  expect(window.location.search).toBe("?log=old&smooth=0.5&outliers=1");
});

test("an undone change leaves the address unchanged", async () => {
  const { result } = charts();
  act(() => result.current[1]({ axis: "time" }));
  await pass();
  expect(window.location.search).toBe("?log=old&x=time");
  act(() => result.current[1]({ axis: "step" }));
  await pass();
  expect(window.location.search).toBe("?log=old");
});
