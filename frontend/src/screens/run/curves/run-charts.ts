"use client";

import { useMemo, useState } from "react";
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
  /** Whether the band of all seeds lies behind the curve of the return. */
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
  useZoomDetail(group, pool);
  useMomentAddress(group);
  const [band, showBand] = useState(false);
  const children = useChildren(run, settings);
  return { group, settings, changeSettings, curves: curves(run.id), band, showBand, children };
}

interface Backdrop {
  /** Drawn behind the curve of the return. */
  behind: readonly SeriesSpec[];
  /** About what is drawn behind it. */
  note: string | null;
  /** The group of the run; null for a run alone. */
  seeds: Seeds | null;
}

/** What is drawn behind the curve of the return: the preset as it was measured, and the band of all seeds. */
export function useBackdrop(run: RunDetail, { settings: { axis }, band }: RunCharts): Backdrop {
  const seeds = useSeeds(run);
  const seedBand = useSeedBand(seeds, axis, band);
  const ghost = usePresetGhost(run, axis);
  const behind = useMemo(() => [...seedBand, ...ghost.series], [seedBand, ghost.series]);
  return { behind, note: ghost.sentence, seeds };
}
