"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { explainAction } from "@/api/http";
import { meanReturnsQuery } from "@/api/metrics";
import { isActive } from "@/api/runs";
import type { Run } from "@/api/types";
import { brief, count } from "@/lib/number";
import { usePlaybackController } from "@/player/video/playback-controller";
import { Player } from "@/player/video/player";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";
import { Slider } from "@/ui/slider";
import { type Moment, MomentTile } from "./moment-tile";
import { reachedReturn, returnsOf } from "./same-return";
import type { SeriesStyles } from "./series-styles";
import { Tiles } from "./tile";
import { LeftOut, MOST_VIDEOS } from "./videos";

interface SameMomentProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** What is the same. */
  by: "step" | "return";
  /** Placed at the end of the title line. */
  aside: ReactNode;
}

/** The policies of all runs at the same step, or at the same mean return, each on the same seed. */
export function SameMoment({ runs: all, seriesStyles, by, aside }: SameMomentProps) {
  const controller = usePlaybackController();
  const runs = all.slice(0, MOST_VIDEOS);
  const byReturn = by === "return";
  const { data, error } = useQuery({
    ...meanReturnsQuery(runs.map(({ id }) => id)),
    enabled: byReturn,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      runs.some(isActive) || state.data?.live ? RENEW_EVERY_MS : false,
  });
  const returns = data && returnsOf(data);
  const { least, largest, shared } = returns ?? { least: 0, largest: 0, shared: 0 };
  // What all runs had reached when this was opened. The values stay until the user changes them,
  // though runs train on.
  const [step, setStep] = useState(() => Math.min(...runs.map((run) => run.step)));
  const [chosenReturn, setReturn] = useState<number | null>(null);
  if (chosenReturn === null && returns) setReturn(shared);
  const wanted = Math.min(largest, Math.max(least, chosenReturn ?? shared));
  const value = byReturn ? `a mean return of ${brief(wanted)}` : `step ${count(step)}`;
  const moment = (run: Run): Moment =>
    byReturn && data ? { by, ...reachedReturn(data, run.id, wanted) } : { by: "step", step };
  if (byReturn && !data) {
    return (
      <Card title="At the same return" aside={aside} bodyClass="p-4">
        {error ? <p role="alert">{explainAction(error)}</p> : <Skeleton className="h-80" />}
      </Card>
    );
  }
  return (
    <Card
      title={byReturn ? "At the same return" : "At the same step"}
      className="@container"
      bodyClass="flex flex-col gap-3 p-4"
      aside={
        <span className="flex flex-wrap items-center gap-3">
          <LeftOut all={all.length} />
          {aside}
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {byReturn ? (
          <Slider
            label="Mean return"
            {...{ value: wanted, min: least, max: largest, valueText: value }}
            step={(largest - least) / 100}
            onChange={setReturn}
            className="min-w-40 grow basis-40"
          />
        ) : (
          <Slider
            label="Step"
            {...{ value: step, min: 0, max: Math.max(1, ...runs.map((run) => run.step)) }}
            valueText={value}
            onChange={setStep}
            className="min-w-40 grow basis-40"
          />
        )}
        <output className="text-sm tabular-nums sm:min-w-48 sm:text-right">At {value}</output>
      </div>
      <Player label="Player of all clips" controller={controller} chapters={NO_CHAPTERS}>
        <Tiles count={runs.length}>
          {runs.map((run) => (
            <MomentTile
              key={run.id}
              run={run}
              seriesStyle={seriesStyles.get(run.id)}
              controller={controller}
              moment={moment(run)}
            />
          ))}
        </Tiles>
      </Player>
    </Card>
  );
}

/** Milliseconds between two requests for the returns of runs that train. */
const RENEW_EVERY_MS = 10_000;

const NO_CHAPTERS = [] as const;
