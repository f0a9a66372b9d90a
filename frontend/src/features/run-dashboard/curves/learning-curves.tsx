"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  ChartCard,
  ChartToolbar,
  lengthChart,
  rewardChart,
  useChartGroup,
  useChartView,
  useZoomDetail,
} from "@/components/charts";
import { Boundary } from "@/components/ui/boundary";
import { Card } from "@/components/ui/card";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { environmentsQuery, type RunDetail } from "@/lib/api";
import { plural } from "@/lib/format";
import { type RunSeries, useMetricNames, useRunCurves } from "@/lib/stream";

export function LearningCurves({ run }: { run: RunDetail }) {
  const { data: environments } = useQuery(environmentsQuery);
  const threshold = environments?.find(({ id }) => id === run.env_id)?.reward_threshold;
  const group = useChartGroup();
  const [view, change] = useChartView(group);
  const { pool, curves } = useRunCurves([run], { axis: view.axis });
  useZoomDetail(group, pool);
  const { series, state } = curves(run.id);
  const specs = useSpecs(series, threshold);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {state.phase === "failed" && (
        <Notice tone="warn" role="status" title="The curves could not be loaded">
          <p className="text-ink-soft">
            {state.error.title}. {state.error.detail} Trying again.
          </p>
        </Notice>
      )}
      {state.phase === "ready" && state.brokenLines > 0 && (
        <Notice
          tone="warn"
          title={`${plural(state.brokenLines, "line")} of the metrics journal could not be read`}
        >
          <p className="text-ink-soft">The curves show everything else.</p>
        </Notice>
      )}
      <ChartToolbar view={view} onChange={change} group={group} />
      {specs.map((spec) =>
        state.phase === "loading" && series.revision === 0 ? (
          <Card key={spec.title} title={spec.title} bodyClass="px-3 pt-3 pb-1.5">
            <Skeleton className="h-56 md:h-64" />
          </Card>
        ) : (
          <Boundary key={spec.title} what="The chart">
            <ChartCard spec={spec} view={view} group={group} />
          </Boundary>
        ),
      )}
    </div>
  );
}

function useSpecs(series: RunSeries, threshold: number | null | undefined) {
  const evaluated = useMetricNames(series).includes("eval/mean_reward");
  return useMemo(
    () => [rewardChart(series, threshold, evaluated), lengthChart(series, evaluated)],
    [series, threshold, evaluated],
  );
}
