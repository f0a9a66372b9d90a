import { useQuery, useQueryClient } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { serve, withQueries } from "@/lib/testing/service";
import { experimentQuery, experimentResultsQuery } from "./experiments";

beforeEach(() => void vi.useFakeTimers());

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

test("results are requested again exactly when a trial ends", async () => {
  let scored = 1;
  let asked = 0;
  serve({
    "GET /experiments/e": () => ({ body: { status: "running", counts: { running: 1, scored } } }),
    "GET /experiments/e/results": () => ({ body: { asked: ++asked, complete: true, scored } }),
  });
  const { result } = renderHook(
    () => ({
      client: useQueryClient(),
      experiment: useQuery(experimentQuery("e")).data,
      results: useQuery(experimentResultsQuery("e", { score: "trial", threshold: null })).data,
    }),
    { wrapper: withQueries() },
  );
  await pass(60_000);
  expect(asked).toBe(1);
  scored = 2;
  await act(() =>
    result.current.client.invalidateQueries({
      queryKey: experimentQuery("e").queryKey,
      exact: true,
    }),
  );
  await pass(0);
  expect(asked).toBe(2);
  expect(result.current.results?.scored).toBe(result.current.experiment?.counts.scored);
});
