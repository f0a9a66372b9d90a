import { expect, test, vi } from "vitest";
import { ApiError } from "@/api/http";
import type { fetchMetricHistories } from "@/api/metrics";
import type { MetricCurves, RunsMetricCurves } from "@/api/types";
import { FakeTimers } from "@/lib/testing/timers";
import { HistoryBatch } from "./run-series-pool";

const curves = (run_id: string): MetricCurves => ({
  ...{ run_id, x: "step", series: {}, broken_lines: 0, mean_episodes: 100 },
  cursor: `${run_id}:0`,
});
const QUERY = { names: ["episode/reward"], maxPoints: 500 };
const never = () => new AbortController().signal;

function batch(problems: RunsMetricCurves["problems"] = {}) {
  const timers = new FakeTimers();
  const one = vi.fn((id: string) => Promise.resolve(curves(id)));
  const many = vi.fn<typeof fetchMetricHistories>((ids) =>
    Promise.resolve({ runs: ids.filter((id) => !problems[id]).map(curves), problems }),
  );
  return { timers, one, many, batch: new HistoryBatch(timers, one, many) };
}

test("a hundred simultaneously requested runs are one request", async () => {
  const { timers, one, many, batch: requests } = batch();
  const ids = Array.from({ length: 100 }, (_, i) => `r${i}`);
  const answers = ids.map((id) => requests.ask(id, QUERY, never()));
  timers.advance(10);
  expect((await Promise.all(answers)).map(({ run_id }) => run_id)).toEqual(ids);
  expect(many).toHaveBeenCalledOnce();
  expect(one).not.toHaveBeenCalled();
});

test("another part of the curves is another request, and a single run has its own address", async () => {
  const { timers, one, many, batch: requests } = batch();
  const answers = [
    requests.ask("a", QUERY, never()),
    requests.ask("b", QUERY, never()),
    requests.ask("c", { ...QUERY, from: 5, to: 9 }, never()),
  ];
  timers.advance(10);
  await Promise.all(answers);
  expect(many).toHaveBeenCalledOnce();
  expect(one).toHaveBeenCalledExactlyOnceWith("c", { ...QUERY, from: 5, to: 9 }, expect.anything());
});

test("a run with a problem does not affect others", async () => {
  const gone = { type: "", title: "No such run", status: 404, detail: "", errors: [] };
  const { timers, batch: requests } = batch({ b: gone });
  const [a, b] = [requests.ask("a", QUERY, never()), requests.ask("b", QUERY, never())];
  timers.advance(10);
  expect((await a).run_id).toBe("a");
  await expect(b).rejects.toEqual(new ApiError(404, "No such run", ""));
});

test("unneeded data is not requested, and a pending request is aborted", async () => {
  const { timers, many, batch: requests } = batch();
  const aborts = ["a", "b", "c"].map((id) => {
    const abort = new AbortController();
    void requests.ask(id, QUERY, abort.signal);
    return abort;
  });
  aborts[0]!.abort();
  timers.advance(10);
  const [ids, , signal] = many.mock.calls[0]!;
  expect(ids).toEqual(["b", "c"]);
  aborts[1]!.abort();
  expect(signal?.aborted).toBe(false);
  aborts[2]!.abort();
  expect(signal?.aborted).toBe(true);
});
