"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ChartSpec, lengthChart, rewardChart } from "@/components/charts";
import {
  algorithmsQuery,
  environmentOfRun,
  environmentsQuery,
  hasEnded,
  type Run,
} from "@/lib/api";
import { type RunSeries, useMetricNames } from "@/lib/stream";
import { selectCharts, metricChart } from "./chart-definitions";

export interface Charts {
  /** Return and length. */
  first: ChartSpec[];
  main: ChartSpec[];
  more: ChartSpec[];
}

const NONE: readonly string[] = [];

/** The charts of a run: those its algorithm is known for, then every other metric in its journal. */
export function useCharts(run: Run, series: RunSeries): Charts {
  const { data: environments } = useQuery(environmentsQuery);
  const { data: algorithms } = useQuery(algorithmsQuery);
  const expected = algorithms?.find(({ id }) => id === run.algo)?.metrics ?? NONE;
  const threshold = environmentOfRun(environments, run)?.reward_threshold ?? null;
  const found = useMetricNames(series);
  const ended = hasEnded(run);
  return useMemo(() => {
    const evaluated = found.includes("eval/mean_reward");
    // Once the run has ended, metrics that it never logged get no empty chart.
    const { main, more } = selectCharts(ended ? NONE : expected, found);
    const empty = ended ? "The run ended before this was logged" : "Nothing logged yet";
    const chart = (metric: string) => metricChart(series, metric, empty);
    return {
      first: [rewardChart(series, threshold, evaluated), lengthChart(series, evaluated)],
      main: main.map(chart),
      more: more.map(chart),
    };
  }, [series, expected, threshold, found, ended]);
}
