"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { LiveChart } from "@/components/charts/live-chart";
import { lengthChart, metricsOf, rewardChart } from "@/components/charts/prepare/learning-curves";
import { Boundary } from "@/components/ui/boundary";
import { Card } from "@/components/ui/card";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { environmentsQuery } from "@/lib/api";
import { plural } from "@/lib/format";
import { useRunSeries } from "@/lib/stream";

const METRICS = metricsOf([rewardChart(null), lengthChart()]);

export function LearningCurves({ runId, envId }: { runId: string; envId: string }) {
  const { data: environments } = useQuery(environmentsQuery);
  const threshold = environments?.find(({ id }) => id === envId)?.reward_threshold;
  const [series, feed] = useRunSeries(runId, METRICS);
  const specs = useMemo(() => [rewardChart(threshold), lengthChart()], [threshold]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {feed.phase === "failed" && (
        <Notice tone="warn" role="status" title="The curves could not be loaded">
          <p className="text-ink-soft">
            {feed.error.title}. {feed.error.detail} Trying again.
          </p>
        </Notice>
      )}
      {feed.phase === "ready" && feed.brokenLines > 0 && (
        <Notice
          tone="warn"
          title={`${plural(feed.brokenLines, "line")} of the metrics journal could not be read`}
        >
          <p className="text-ink-soft">The curves show everything else.</p>
        </Notice>
      )}
      {specs.map((spec) => (
        <Card key={spec.title} title={spec.title} bodyClass="px-3 pt-3 pb-1.5">
          {feed.phase === "loading" ? (
            <Skeleton className="h-56 md:h-64" />
          ) : feed.phase === "failed" && series.revision === 0 ? (
            <p className="grid h-56 place-items-center text-xs text-ink-faint md:h-64">
              Not loaded yet
            </p>
          ) : (
            <Boundary what="The chart">
              <LiveChart spec={spec} series={series} />
            </Boundary>
          )}
        </Card>
      ))}
    </div>
  );
}
