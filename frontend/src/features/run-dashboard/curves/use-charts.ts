"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { algorithmsQuery, environmentsQuery, useAlgorithmName } from "@/api/choices";
import { type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import { hasEnded } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { randomReturnOfRun } from "@/api/variant";
import { lengthChart, rewardChart } from "@/charts/prepare/learning-curves";
import type { ChartSpec, SeriesSpec } from "@/charts/prepare/model";
import type { RunSeries } from "@/stream/series/run-series";
import { useMetricNames } from "@/stream/series/use-run-curves";
import { type PastLine, withContext, withPast } from "./past-lines";
import { metricChart, selectCharts } from "./select-charts";
import { useSeriesTraits } from "./use-series-traits";

export interface Charts {
  /** The first chart of the page. */
  first: ChartSpec;
  main: ChartSpec[];
  more: ChartSpec[];
  /** Metrics shown as a value. */
  figures: string[];
}

const NONE: readonly string[] = [];

/**
 * The charts of a run: those of its algorithm, then every other metric in its journal. `behind` is drawn
 * behind the curve of the return.
 */
export function useCharts(
  run: RunDetail,
  series: RunSeries,
  past: readonly PastLine[],
  behind: readonly SeriesSpec[],
): Charts {
  const registry = useMetricRegistry();
  const { data: algorithms } = useQuery(algorithmsQuery);
  const expected = algorithms?.find(({ id }) => id === run.algo)?.metrics ?? NONE;
  const found = useMetricNames(series);
  const traits = useSeriesTraits(series);
  const subject = [run.name, run.env_id, useAlgorithmName()(run.algo), `seed ${run.seed}`].join(
    " · ",
  );
  const ended = hasEnded(run);
  const { reward_threshold: threshold, config } = run;
  const { data: environments } = useQuery(environmentsQuery);
  const random = config ? randomReturnOfRun(environments, config) : null;
  return useMemo(() => {
    const evaluated = found.includes("eval/mean_reward");
    // Once the run has ended, metrics that were never logged get no empty chart.
    const { main, more, figures } = selectCharts(registry, {
      ...{ expected: ended ? NONE : expected, found },
      ...{ constant: traits.constant, straight: traits.straight },
    });
    const empty = ended ? "The run ended before this was logged" : "Nothing logged yet";
    const chart = (metric: string) =>
      withPast({ ...metricChart(registry, series, metric, empty), subject }, past);
    const words = (metric: string) => ({
      ...wordsOf(registry, metric),
      ...{ subject, evaluated, meanEpisodes: registry.meanEpisodes },
    });
    const length = withPast(lengthChart(series, words("episode/length")), past);
    const reward = rewardChart(series, { threshold, random }, words("episode/reward"));
    return {
      first: withContext(withPast(reward, past), behind),
      main: [...(traits.lengthTells ? [length] : []), ...main.map(chart)],
      more: [...(traits.lengthTells ? [] : [length]), ...more.map(chart)],
      figures,
    };
  }, [registry, series, expected, threshold, random, found, traits, ended, subject, past, behind]);
}

function wordsOf(registry: MetricRegistry, metric: string) {
  const { label: title, help, unit } = registry.get(metric);
  return { title, help, unit };
}
