"use client";

import { useEffect, useMemo, useState } from "react";
import {
  ChartCard,
  type ChartSpec,
  HeldSource,
  useChartGroup,
  useChartSettings,
} from "@/components/charts";
import { seriesStyle } from "@/components/ui/series-style";
import type { ExperimentResults } from "@/lib/api";
import { plural } from "@/lib/format";
import { madeText } from "@/lib/made";
import { labelsOf, placesOf } from "./labels";

/** The learning curve of each variant with its band. */
export function ResultCurves({ results }: { results: ExperimentResults }) {
  const group = useChartGroup();
  const [settings, change] = useChartSettings(group);
  const spec = useSpec(results);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ChartCard {...{ spec, settings, group }} onSettings={change} className="h-64 md:h-80" />
      {results.curves.variants.map(
        ({ variant, note }) =>
          note && (
            <p key={variant} className="text-xs text-ink-faint">
              {labelsOf(results.variants)(variant)}: {note}
            </p>
          ),
      )}
    </div>
  );
}

/** Memoised by what the chart says of its lines, since a new spec rebuilds it; new values go into the sources. */
function useSpec({ curves, variants, threshold }: ExperimentResults): ChartSpec {
  const [sources] = useState(() => new Map<string, HeldSource>());
  const label = labelsOf(variants);
  const place = placesOf(variants);
  const lines = curves.variants.map(({ variant, seeds }) => ({
    id: variant,
    place: place(variant),
    label: `${label(variant)}, IQM of ${plural(seeds, "seed")}`,
  }));
  const says = JSON.stringify(lines);
  const help = curves.variants[0] ? madeText(curves.variants[0].made) : undefined;
  // External system: the sources, which are kept outside React.
  useEffect(() => {
    for (const { variant, iqm, low, high } of curves.variants) {
      const source = sources.get(variant) ?? new HeldSource();
      sources.set(variant, source);
      source.load("step", curves.step, { iqm, low, high });
    }
  }, [curves, sources]);
  return useMemo(() => {
    const sourceOf = (id: string) => {
      const source = sources.get(id) ?? new HeldSource();
      sources.set(id, source);
      return source;
    };
    return {
      ...{ id: "curves", title: "Learning curves", empty: "No curve yet", help },
      series: lines.map(({ id, label, place }) => ({
        ...{ id, label, source: sourceOf(id), metric: "iqm", smooth: false },
        ...{ mode: "line" as const, band: { low: "low", high: "high" } },
        ...seriesStyle(place),
      })),
      references: threshold === null ? [] : [{ label: "Threshold", value: threshold }],
    };
    // `says` holds all that the chart shows of `lines`.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [says, threshold, help, sources]);
}
