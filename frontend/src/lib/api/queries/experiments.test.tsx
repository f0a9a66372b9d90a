import { useQuery } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { serve, withQueries } from "@/lib/testing/service";
import { experimentQuery, experimentResultsQuery } from "./experiments";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

test("results are requested with each trial that ends, not sooner and not later", async () => {
  let scored = 1;
  let asked = 0;
  serve({
    "GET /experiments/e": () => ({ body: { status: "running", counts: { running: 1, scored } } }),
    "GET /experiments/e/results": () => ({ body: { asked: ++asked, complete: true, scored } }),
  });
  const { result } = renderHook(
    () => ({
      experiment: useQuery(experimentQuery("e")).data,
      results: useQuery(experimentResultsQuery("e", "trial")).data,
    }),
    { wrapper: withQueries() },
  );
  await pass(4_000);
  expect(asked).toBe(1);
  scored = 2;
  await pass(1_600);
  expect(asked).toBe(2);
  expect(result.current.results?.scored).toBe(result.current.experiment?.counts.scored);
});
