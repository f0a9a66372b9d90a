"use client";

import { type ReactNode, useState } from "react";
import { Player, usePlaybackController } from "@/components/player";
import { Card } from "@/components/ui/card";
import { Segmented } from "@/components/ui/segmented";
import { Slider } from "@/components/ui/slider";
import type { Comparison, Run } from "@/lib/api";
import { brief, count } from "@/lib/format";
import { MomentTile } from "./moment-tile";
import { returnRange, stepOfReturn } from "./same-return";
import type { SeriesStyles } from "./series-styles";
import { Tiles } from "./tile";
import { LeftOut, MOST_VIDEOS } from "./videos";

interface SameMomentProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  comparison: Comparison;
  /** Placed at the end of the title line. */
  aside: ReactNode;
}

/** The policies of all runs at the same step, or at the same mean return, each on the same seed. */
export function SameMoment({ runs: all, seriesStyles, comparison, aside }: SameMomentProps) {
  const controller = usePlaybackController();
  const [by, setBy] = useState<"step" | "return">("step");
  const runs = all.slice(0, MOST_VIDEOS);
  const returns = returnRange(comparison);
  const [low, high] = returns ?? [0, 0];
  const byReturn = by === "return" && returns !== null;
  // What all runs had reached when this was opened. The values stay until the user changes them,
  // though runs train on.
  const [step, setStep] = useState(() => Math.min(...runs.map((run) => run.step)));
  const [chosenReturn, setReturn] = useState((low + high) / 2);
  const wanted = Math.min(high, Math.max(low, chosenReturn));
  const value = byReturn ? `a return of ${brief(wanted)}` : `step ${count(step)}`;
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
        {returns && (
          <Segmented
            legend="What is the same"
            options={[
              { value: "step", label: "Step" },
              { value: "return", label: "Return" },
            ]}
            value={by}
            onChange={setBy}
          />
        )}
        {byReturn ? (
          <Slider
            label="Return"
            {...{ value: wanted, min: low, max: high, step: (high - low) / 100, valueText: value }}
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
        <output className="min-w-36 text-right text-sm tabular-nums">At {value}</output>
      </div>
      <Player label="Player of all clips" controller={controller} chapters={NO_CHAPTERS}>
        <Tiles count={runs.length}>
          {runs.map((run) => (
            <MomentTile
              key={run.id}
              run={run}
              seriesStyle={seriesStyles.get(run.id)}
              controller={controller}
              step={byReturn ? stepOfReturn(comparison, run.id, wanted) : step}
            />
          ))}
        </Tiles>
      </Player>
    </Card>
  );
}

const NO_CHAPTERS = [] as const;
