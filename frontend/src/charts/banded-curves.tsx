"use client";

import { useEffect, useMemo, useState } from "react";
import { seriesStyle } from "@/ui/series-style";
import { ChartCard } from "./chart-card";
import { useChartGroup } from "./chart-group";
import { useChartSettings } from "./chart-settings";
import { HeldSource } from "./held-source";
import type { ChartSpec } from "./prepare/model";

export interface BandedLine {
  id: string;
  label: string;
  /** How many seeds (or runs) it is of: altogether, and at each step. */
  of: number;
  one: "seed" | "run";
  count: number[];
  /** Of its colour among those of series. */
  place: number;
  iqm: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

interface BandedCurvesProps {
  title?: string;
  step: number[];
  lines: readonly BandedLine[];
  help?: string;
  threshold?: number | null;
  /** Whether a value holds until the next one, as between evaluations. */
  stepped?: boolean;
}

/** Learning curves of several runs each, with their bands, on one axis. */
export function BandedCurves(props: BandedCurvesProps) {
  const group = useChartGroup();
  const [settings, change] = useChartSettings(group);
  const spec = useSpec(props);
  return <ChartCard {...{ spec, settings, group }} onSettings={change} className="h-64 md:h-80" />;
}

/**
 * Memoised by the chart's description of its lines, because a new spec rebuilds the chart; new values go into the
 * sources.
 */
function useSpec(props: BandedCurvesProps): ChartSpec {
  const { title = "Learning curves", step, lines, help, threshold = null, stepped } = props;
  const [sources] = useState<Sources>(() => new Map());
  const says = JSON.stringify(
    lines.map(({ id, label, of, one, place }) => [id, label, of, one, place]),
  );
  // External system: the sources, which are kept outside React.
  useEffect(() => {
    for (const line of lines) load(sources, step, line);
  }, [step, lines, sources]);
  return useMemo(
    () => ({
      ...{ id: "curves", title, empty: "No curve yet", help },
      series: lines.map((line) => ({
        ...{ id: line.id, label: line.label, metric: "iqm", smooth: false },
        // Loaded already, so that a chart further down, which is drawn once it is near, does not say that it is empty.
        source: sources.get(line.id)?.source ?? load(sources, step, line),
        ...{ mode: "line" as const, band: { low: "low", high: "high" }, stepped },
        over: { metric: "count", all: line.of, one: line.one },
        ...seriesStyle(line.place),
      })),
      references: threshold === null ? [] : [{ label: "Threshold", value: threshold }],
    }),
    // `says` holds all that the chart shows of `lines` but for their values.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [says, title, threshold, help, stepped, sources],
  );
}

/** The source of each line by its id, with its values. */
type Sources = Map<string, { source: HeldSource; line: BandedLine; step: number[] }>;

function load(sources: Sources, step: number[], line: BandedLine): HeldSource {
  const { id, iqm, low, high, count } = line;
  const known = sources.get(id);
  if (known?.line === line && known.step === step) return known.source;
  const source = known?.source ?? new HeldSource();
  sources.set(id, { source, line, step });
  source.loadCurve("step", step, { iqm, low, high, count });
  return source;
}
