"use client";

import { useEffect, useMemo, useState } from "react";
import { releaseRequests } from "@/api/first-request";
import type { RunDetail } from "@/api/types";
import {
  type ChartGroup,
  useChartGroup,
  useMomentAddress,
  useZoomDetail,
} from "@/charts/chart-group";
import { type ChartSettings, useChartSettings } from "@/charts/chart-settings";
import type { SeriesSpec } from "@/charts/prepare/model";
import type { RunCurves } from "@/stream/series/run-series-pool";
import { useRunCurves } from "@/stream/series/use-run-curves";
import { usePresetGhost } from "../preset-ghost";
import { type Children, useChildren } from "./children";
import { type Seeds, useSeedBand, useSeeds } from "../seeds-card";

/** What the charts of all tabs of a run page share. */
export interface RunCharts {
  group: ChartGroup;
  settings: ChartSettings;
  changeSettings: (change: Partial<ChartSettings>) => void;
  curves: RunCurves;
  /** Whether the band of all seeds is shown behind the curve of the return. */
  band: boolean;
  showBand: (shown: boolean) => void;
  /** The forks of the run, drawn on the curve of the return. */
  children: Children;
}

export function useRunCharts(run: RunDetail): RunCharts {
  const group = useChartGroup();
  const [settings, changeSettings] = useChartSettings(group);
  const { axis, smoothing } = settings;
  const { pool, curves } = useRunCurves([run], { axis, smoothing });
  useOthersAfter(curves(run.id).state.phase !== "loading");
  useZoomDetail(group, pool);
  useMomentAddress(group);
  const [band, showBand] = useState(false);
  const children = useChildren(run, settings);
  return { group, settings, changeSettings, curves: curves(run.id), band, showBand, children };
}

/** Sends the requests that wait for the first curve (`api/first-request`) in the frame after it is drawn. */
function useOthersAfter(isThere: boolean) {
  // External system: the screen, and the requests of all that is on the page.
  useEffect(() => {
    if (!isThere) return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(releaseRequests);
    });
    return () => cancelAnimationFrame(frame);
  }, [isThere]);
}

interface Backdrop {
  /** Drawn behind the curve of the return. */
  behind: readonly SeriesSpec[];
  /** A sentence about the curves behind it. */
  note: string | null;
  /** The group of the run; null for a run alone. */
  seeds: Seeds | null;
}

/** The curves behind the curve of the return: the measured preset, and the band of all seeds. */
export function useBackdrop(run: RunDetail, { settings: { axis }, band }: RunCharts): Backdrop {
  const seeds = useSeeds(run);
  const seedBand = useSeedBand(seeds, axis, band);
  const ghost = usePresetGhost(run, axis);
  const behind = useMemo(() => [...seedBand, ...ghost.series], [seedBand, ghost.series]);
  return { behind, note: ghost.sentence, seeds };
}
