"use client";

import type { UpdateAnatomy } from "@/api/types";
import { decimal } from "@/lib/number";
import { density } from "./density";
import { DensityPicture } from "./density-picture";
import type { AnatomyFigure } from "./figures";
import { HistogramPicture } from "./histogram-picture";

interface AnatomyRowProps {
  figure: AnatomyFigure;
  updates: readonly UpdateAnatomy[];
  chosen: number;
  onChoose: (update: number) => void;
}

/** A quantity of updates: its distribution in the selected update, and over training. */
export function AnatomyRow({ figure, updates, chosen, onChoose }: AnatomyRowProps) {
  const moments = updates.map((one) => ({ step: one.step, histogram: figure.of(one) }));
  const over = density(moments, figure.names?.length);
  const update = updates[chosen];
  if (over === null || update === undefined) return null;
  const histogram = figure.of(update);
  const band = figure.band?.(update) ?? null;
  return (
    <section aria-label={figure.title} className="min-w-0">
      <div className="flex items-baseline justify-between gap-3 text-xs">
        <h4 className="font-medium">{figure.title}</h4>
        {histogram && !figure.names && (
          <span className="text-ink-soft tabular-nums">
            {decimal(histogram.mean)} ± {decimal(histogram.std)}
          </span>
        )}
      </div>
      <p className="mb-1.5 text-2xs text-ink-faint">{figure.help}</p>
      <div className="flex gap-3 max-sm:flex-col">
        <HistogramPicture
          title={figure.title}
          histogram={histogram}
          band={band}
          names={figure.names}
        />
        <DensityPicture
          title={figure.title}
          density={over}
          names={figure.names}
          {...{ band, chosen, onChoose }}
        />
      </div>
    </section>
  );
}
