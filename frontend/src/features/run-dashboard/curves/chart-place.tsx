"use client";

import { ChartCard, type ChartGroup, type ChartSpec, type ChartView } from "@/components/charts";
import { Boundary } from "@/components/ui/boundary";
import { Card } from "@/components/ui/card";
import { Skeleton } from "@/components/ui/skeleton";
import type { Window } from "@/lib/stream";
import { placeId } from "./place-id";

interface ChartPlaceProps {
  spec: ChartSpec;
  view: ChartView;
  group: ChartGroup;
  /** Why there is nothing to draw; null once there may be. */
  waiting: "loading" | "failed" | null;
  highlight: Window | null;
  className: string;
}

/** A chart, or the room it will take. */
export function ChartPlace({ spec, view, group, waiting, highlight, className }: ChartPlaceProps) {
  return (
    <div id={placeId(spec.id)} className="min-w-0 scroll-mt-28">
      {waiting === null ? (
        <Boundary what="The chart">
          <ChartCard {...{ spec, view, group, highlight, className }} />
        </Boundary>
      ) : (
        <Card title={spec.title} bodyClass="px-3 pt-2.5 pb-1.5">
          <div className="h-6" />
          {waiting === "loading" ? (
            <Skeleton className={className} />
          ) : (
            <p className={`grid place-items-center text-xs text-ink-faint ${className}`}>
              Not loaded yet
            </p>
          )}
        </Card>
      )}
    </div>
  );
}
