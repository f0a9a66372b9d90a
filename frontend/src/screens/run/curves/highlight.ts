"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { metricCurveQuery } from "@/api/metrics";
import { isActive } from "@/api/runs";
import type { Run } from "@/api/types";
import { episodeScale, type StepScale, stepScale, timeScale } from "@/charts/prepare/axes";
import { useQueryString } from "@/lib/query-string";
import type { AxisWindow, MetricAxis } from "@/stream/series/axis";
import { EPISODE, type RunSeries } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";
import { openTab, tabIn, tabOfMetric } from "../tabs/tab-address";

/** A highlighted part of a curve in the address, in steps: `?chart=train/approx_kl&from=2000&to=4000`. */
export interface Highlight {
  metric: string;
  steps: AxisWindow;
}

export function readHighlight(query: URLSearchParams): Highlight | null {
  const metric = query.get("chart");
  const [from, to] = [query.get("from"), query.get("to")].map((text) =>
    text === null || text === "" ? Number.NaN : Number(text),
  ) as [number, number];
  if (!metric || !(from <= to)) return null;
  return { metric, steps: [from, to] };
}

/** Null removes it. */
export function writeHighlight(query: URLSearchParams, highlight: Highlight | null) {
  for (const name of ["chart", "from", "to"]) query.delete(name);
  if (!highlight) return;
  query.set("chart", highlight.metric);
  query.set("from", String(highlight.steps[0]));
  query.set("to", String(highlight.steps[1]));
}

/** The highlight, and a function that sets it and opens the tab with its chart. */
export function useHighlight(): [Highlight | null, (highlight: Highlight | null) => void] {
  const [query] = useQueryString();
  const search = query.toString();
  // Memoised, because a chart compares the highlight by identity.
  const highlight = useMemo(() => readHighlight(new URLSearchParams(search)), [search]);
  const point = (next: Highlight | null) =>
    openTab(next ? tabOfMetric(next.metric) : tabIn(query), (written) =>
      writeHighlight(written, next),
    );
  return [highlight, point];
}

/** Milliseconds between requests for new data of a training run. */
const RENEW_EVERY_MS = 5_000;

/** Position of the environment steps of a run on an axis; null until known. */
export function useStepScale(run: Run, axis: MetricAxis): StepScale | null {
  const options = {
    enabled: axis !== "step",
    refetchInterval: isActive(run) && RENEW_EVERY_MS,
  };
  const bySteps = useQuery({ ...metricCurveQuery(run.id, EPISODE, "step"), ...options });
  const byTime = useQuery({
    ...metricCurveQuery(run.id, EPISODE, "seconds"),
    ...options,
    enabled: axis === "time",
  });
  return useMemo(() => {
    if (axis === "step") return stepScale(run.step);
    if (!bySteps.data) return null;
    if (axis === "episode") return episodeScale(bySteps.data, run.step);
    return byTime.data ? timeScale(bySteps.data, byTime.data, run.step) : null;
  }, [axis, bySteps.data, byTime.data, run.step]);
}

/** The first and the newest value of a metric, updated live. */
export function useStreamedEnds(
  series: RunSeries,
  metric: string,
): readonly [first: number | null, last: number | null] {
  return useSeries(
    series,
    () => `${metric} ${series.column(metric).version}`,
    () => {
      const column = series.column(metric);
      const first = column.y.subarray(0, column.length).find((value) => !Number.isNaN(value));
      return [first ?? null, column.latest()] as const;
    },
  );
}
