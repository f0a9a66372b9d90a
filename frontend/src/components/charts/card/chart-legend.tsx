"use client";

import clsx from "clsx";
import { compact, decimal } from "@/lib/number";
import { useCursor } from "../live/chart-group";
import type { LiveChart } from "../live/live-chart";
import { smooths } from "../prepare/curve";
import type { ChartModel, ChartSpec, Curve, SeriesSpec } from "../prepare/model";
import { intervalText, labelAt, readoutAt } from "../prepare/readout";
import { smoothingLabel } from "../prepare/smoothing-label";
import { SeriesSwatch } from "./series-swatch";

interface ChartLegendProps {
  chart: LiveChart;
  model: ChartModel;
  smoothing: number;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
}

/** Above this number of series the legend shows one value for each instead of two. */
const ROOMY = 3;

/** The name of each series, its value under the cursor (or the newest), and a button that hides it. */
export function ChartLegend({ chart, model, smoothing, hidden, onToggle }: ChartLegendProps) {
  const cursor = useCursor(chart.group);
  const { series, references } = chart.spec;
  const inSight = cursor !== null && cursor >= model.x[0] && cursor <= model.x[1] ? cursor : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-1 pb-1 text-xs text-ink-faint tabular-nums">
      {series.map((one, i) => (
        <button
          key={one.id}
          type="button"
          aria-pressed={!hidden.has(one.id)}
          onClick={() => onToggle(one.id)}
          onPointerEnter={() => chart.emphasize(one.id)}
          onPointerLeave={() => chart.emphasize(null)}
          onFocus={() => chart.emphasize(one.id)}
          onBlur={() => chart.emphasize(null)}
          className={clsx(
            "-mx-1 flex max-w-full flex-wrap items-center gap-x-1.5 rounded-sm px-1 py-0.5 transition-colors hover:bg-rest-tint max-md:min-h-8",
            hidden.has(one.id) && "opacity-55",
          )}
        >
          <Entry
            series={one}
            curve={model.curves[i]!}
            at={inSight}
            smoothing={smooths(one) ? smoothing : 0}
            dense={series.length > ROOMY}
            off={hidden.has(one.id)}
          />
        </button>
      ))}
      {contextLabels(chart.spec).map((one) => (
        <span key={one.label} className="flex items-center gap-1.5 py-0.5">
          <SeriesSwatch series={one} faint />
          {one.label}
        </span>
      ))}
      {references.map(({ label, value, isBaseline }) => (
        <span key={label} className="flex items-center gap-1.5 py-0.5">
          <span
            aria-hidden
            className={clsx(
              "w-3.5 border-t border-chart-reference",
              isBaseline ? "border-dotted" : "border-dashed",
            )}
          />
          {label} <b className="font-medium text-ink-soft">{compact(value)}</b>
        </span>
      ))}
    </div>
  );
}

/** One for each name: several lines may have been left behind. */
function contextLabels({ context = [] }: ChartSpec): SeriesSpec[] {
  return context.filter(({ label }, i) => context.findIndex((one) => one.label === label) === i);
}

interface EntryProps {
  series: SeriesSpec;
  curve: Curve;
  at: number | null;
  smoothing: number;
  dense: boolean;
  off: boolean;
}

/** Swatch, name and value never break apart. In a narrow chart the smoothed value wraps below the other. */
const figure = "flex max-w-full min-w-0 items-center gap-x-1.5 whitespace-nowrap";

function Entry({ series, curve, at, smoothing, dense, off }: EntryProps) {
  const { raw, line, spread, band, over } = readoutAt(curve, at ?? Infinity);
  const smoothed = smoothing > 0;
  return (
    <>
      <span className={figure}>
        <SeriesSwatch
          series={dense && smoothed ? { ...series, mode: "line" } : series}
          faint={smoothed && !dense}
        />
        <span className={clsx("truncate", off && "line-through")}>{labelAt(series, over)}</span>
        <Value>{dense && smoothed ? line : raw}</Value>
        {band !== null && <span className="text-ink-soft">{intervalText(band)}</span>}
        {spread !== null && <span className="text-ink-soft">± {decimal(spread)}</span>}
      </span>
      {smoothed && !dense && (
        <span className={figure}>
          <SeriesSwatch series={{ ...series, mode: "line" }} />
          {smoothingLabel(smoothing)}
          <Value>{line}</Value>
        </span>
      )}
    </>
  );
}

function Value({ children }: { children: number | null }) {
  return <b className="min-w-9 text-left font-medium text-ink">{decimal(children)}</b>;
}
