"use client";

import type { ComponentType, ReactNode } from "react";
import {
  type ChartAxis,
  type ChartGroup,
  useChartGroup,
  useChartSettings,
  usePicking,
  useZoomDetail,
} from "@/components/charts";
import { Boundary } from "@/components/ui/boundary";
import type { RunDetail } from "@/lib/api";
import { useMediaQuery } from "@/lib/media/use-media-query";
import { useRunCurves } from "@/lib/stream";
import { AnatomySection } from "./anatomy/anatomy-section";
import { LearningCurves } from "./curves/learning-curves";
import { useHighlight } from "./curves/use-highlight";
import { RunDetails } from "./details/run-details";
import { RunHints } from "./hints/run-hints";
import { PLAYBACK_ANCHOR } from "./playback-anchor";
import { QTableSlot } from "./q-table/q-table-slot";

interface RunBodyProps {
  run: RunDetail;
  playback: ReactNode;
  film?: FilmParts;
}

/** The filmstrip, and where the policy of the moment that was chosen plays. */
export interface FilmParts {
  Strip: ComponentType<{
    run: RunDetail;
    group: ChartGroup;
    axis: ChartAxis;
    countsSteps: boolean;
  }>;
  Player: ComponentType<{ run: RunDetail; group: ChartGroup }>;
}

/** From this width on the player stands beside the curves, and below the curve of the return on narrower screens. */
const BESIDE = "(min-width: 80rem)";

/** Curves on one side; what the policy does, and what the curves suggest, on the other. */
export function RunBody({ run, playback, film }: RunBodyProps) {
  const group = useChartGroup();
  const [settings, changeView] = useChartSettings(group);
  const { axis, smoothing } = settings;
  const { pool, curves } = useRunCurves([run], { axis, smoothing });
  useZoomDetail(group, pool);
  const [highlight, point] = useHighlight();
  const beside = useMediaQuery(BESIDE);
  const countsSteps = settings.axis === "step";
  usePicking(group, film !== undefined && countsSteps);
  const player = film && (
    <Boundary what="The film">
      <film.Player run={run} group={group} />
    </Boundary>
  );
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_25rem] xl:grid-rows-[auto_1fr]">
      <LearningCurves
        run={run}
        curves={curves(run.id)}
        settings={settings}
        onSettings={changeView}
        group={group}
        highlight={highlight}
        under={
          film &&
          ((axis) => <film.Strip run={run} group={group} axis={axis} countsSteps={countsSteps} />)
        }
        below={beside ? undefined : player}
      />
      <div className="flex min-w-0 flex-col gap-4 xl:row-span-2">
        {beside && player}
        <div id={PLAYBACK_ANCHOR} className="scroll-mt-18">
          <Boundary what="The evaluation">{playback}</Boundary>
        </div>
        <QTableSlot run={run} />
        <RunHints
          run={run}
          shown={highlight}
          onShow={(hint) => {
            changeView({ axis: "step" });
            group.reset();
            point(hint);
          }}
        />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <AnatomySection run={run} />
        <RunDetails run={run} />
      </div>
    </div>
  );
}
