"use client";

import clsx from "clsx";
import { useEffect, useRef, useState } from "react";
import type { RunSeries } from "@/lib/stream";
import { ChartLegend } from "./chart-legend";
import { createPlot } from "./plot/plot";
import { browserFrames, throttleFrames } from "./plot/throttle";
import type { ChartModel, ChartSpec } from "./prepare/model";
import { prepare } from "./prepare/prepare";

/** A little under the service's own four batches a second: each is drawn as it comes, not one behind. */
const REDRAW_EVERY = 200;

interface LiveChartProps {
  spec: ChartSpec;
  series: RunSeries;
}

interface View {
  revision: number;
  model: ChartModel;
}

/** A chart that follows its series by revision. Give it another `key` to show another run. */
export function LiveChart({ spec, series }: LiveChartProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(() => ({
    revision: series.revision,
    model: prepare(spec, series),
  }));
  const [cursor, setCursor] = useState<number | null>(null);

  // External systems: the plot on its canvas, and the series it draws.
  useEffect(() => {
    if (!canvas.current) return;
    let shown = -1;
    const plot = createPlot(canvas.current, spec, prepare(spec, series), setCursor);
    const redraw = throttleFrames(
      () => {
        if (series.revision === shown) return;
        shown = series.revision;
        const model = prepare(spec, series);
        plot.show(model);
        setView({ revision: shown, model });
      },
      REDRAW_EVERY,
      browserFrames,
    );
    const unsubscribe = series.subscribe(redraw);
    redraw();
    return () => {
      unsubscribe();
      redraw.cancel();
      plot.destroy();
    };
  }, [spec, series]);

  const { model, revision } = view;
  return (
    <figure className="flex min-w-0 flex-col">
      <ChartLegend spec={spec} model={model} cursor={cursor} />
      <div
        role="img"
        aria-label={model.summary}
        data-points={model.points}
        data-revision={revision}
        className="relative h-52 md:h-60"
      >
        <div
          ref={canvas}
          className={clsx("absolute inset-0 overflow-hidden", model.points === 0 && "invisible")}
        />
        {model.points === 0 && (
          <p className="absolute inset-0 grid place-items-center text-xs text-ink-faint">
            {spec.empty}
          </p>
        )}
      </div>
    </figure>
  );
}
