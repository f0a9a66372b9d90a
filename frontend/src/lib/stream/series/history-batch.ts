import { problemFrom } from "@/api/http";
import { fetchMetricHistories, fetchMetricHistory, type HistoryQuery } from "@/api/metrics";
import type { MetricCurves, RunsMetricCurves } from "@/api/types";
import type { Timers } from "../../time";

/** Milliseconds within which requests are combined; a page makes all of its requests in less. */
const TOGETHER = 4;

interface Asked {
  runId: string;
  signal: AbortSignal;
  resolve: (curves: MetricCurves) => void;
  reject: (cause: unknown) => void;
}

/**
 * Combines the requests of many loaders: those made at the same time for the same part of the curves become
 * one. Each can be aborted by itself; the combined request is aborted with the last of them.
 */
export class HistoryBatch {
  private readonly waiting = new Map<string, Asked[]>();

  constructor(
    private readonly timers: Timers,
    private readonly one = fetchMetricHistory,
    private readonly many = fetchMetricHistories,
  ) {}

  readonly ask = (
    runId: string,
    query: HistoryQuery,
    signal: AbortSignal,
  ): Promise<MetricCurves> => {
    const key = JSON.stringify(query);
    const asked = this.waiting.get(key) ?? [];
    if (asked.length === 0) {
      this.waiting.set(key, asked);
      this.timers.set(() => {
        this.waiting.delete(key);
        void this.send(query, asked);
      }, TOGETHER);
    }
    return new Promise((resolve, reject) => asked.push({ runId, signal, resolve, reject }));
  };

  private async send(query: HistoryQuery, all: readonly Asked[]) {
    const wanted = all.filter(({ signal }) => !signal.aborted);
    if (wanted.length === 0) return;
    const request = new AbortController();
    const endIfUnwanted = () => {
      if (wanted.every(({ signal }) => signal.aborted)) request.abort();
    };
    for (const { signal } of wanted) signal.addEventListener("abort", endIfUnwanted);
    try {
      const answer = await this.answer(query, wanted, request.signal);
      for (const { runId, resolve, reject } of wanted) {
        const curves = answer.runs.find(({ run_id }) => run_id === runId);
        if (curves) resolve(curves);
        else reject(problemOf(answer, runId));
      }
    } catch (cause) {
      for (const { reject } of wanted) reject(cause);
    } finally {
      for (const { signal } of wanted) signal.removeEventListener("abort", endIfUnwanted);
    }
  }

  private async answer(
    query: HistoryQuery,
    wanted: readonly Asked[],
    signal: AbortSignal,
  ): Promise<RunsMetricCurves> {
    const ids = [...new Set(wanted.map(({ runId }) => runId))];
    if (ids.length > 1) return this.many(ids, query, signal);
    return { runs: [await this.one(ids[0]!, query, signal)], problems: {} };
  }
}

function problemOf({ problems }: RunsMetricCurves, runId: string) {
  const problem = problems[runId];
  return problemFrom(problem?.status ?? 500, problem);
}
