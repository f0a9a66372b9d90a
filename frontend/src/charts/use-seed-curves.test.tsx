import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { serve, withQueries } from "@/lib/testing/service";
import { useSeedCurves } from "./seed-curves";

const answer = (status: string, last: number | null) => ({
  steps: [100, 200],
  seeds: [{ group_id: "g", iqm: [1, last], low: [1, last], high: [1, last], count: [2, 1] }],
  runs: [{ run: { id: "a", status } }, { run: { id: "b", status: "completed" } }],
});

beforeEach(() => void vi.useFakeTimers());

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

test("curves of runs that ended meanwhile are requested exactly once more", async () => {
  let asked = 0;
  serve({
    "GET /compare": () => ({
      body: asked++ === 0 ? answer("running", null) : answer("completed", 7),
    }),
  });
  const { result } = renderHook(() => useSeedCurves(["a", "b"], { axis: "step", live: false }), {
    wrapper: withQueries(),
  });
  const curve = () => [...result.current.sourceOf("g").column("iqm").y];
  await pass(100);
  expect(curve()).toEqual([1]);
  await pass(5_000);
  expect(curve()).toEqual([1, 7]);
  await pass(30_000);
  expect(asked).toBe(2);
});
