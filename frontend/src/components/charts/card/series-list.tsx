"use client";

import clsx from "clsx";
import { memo, useDeferredValue, useState } from "react";
import { decimal } from "@/lib/number";
import { useStore, useStoreValue } from "@/lib/use-store";
import { controlClass } from "@/ui/select";
import { useCursor } from "../live/chart-group";
import type { LiveChart } from "../live/live-chart";
import type { ChartModel, SeriesSpec } from "../prepare/model";
import { labelAt, type Readout, readoutAt } from "../prepare/readout";
import { SeriesSwatch } from "./series-swatch";

interface SeriesListProps {
  chart: LiveChart;
  model: ChartModel;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
}

/** The legend of many series: a list that can be searched, with the one under the pointer named above it. */
export function SeriesList({ chart, model, hidden, onToggle }: SeriesListProps) {
  const [text, setText] = useState("");
  // Deferred, so that the plot is drawn before the values are.
  const cursor = useDeferredValue(useCursor(chart.group));
  const { series } = chart.spec;
  const wanted = text.trim().toLowerCase();
  const shown = series
    .map((one, i) => ({ one, read: readoutAt(model.curves[i]!, cursor ?? Infinity) }))
    .filter(({ one }) => labelAt(one).toLowerCase().includes(wanted));
  return (
    <div className="flex flex-col gap-1 px-1 pb-1 text-xs">
      <div className="flex items-center gap-3">
        <input
          type="search"
          aria-label={`Search the ${series.length} series of ${chart.spec.title}`}
          placeholder={`Search ${series.length} series`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={clsx(controlClass, "h-7! w-44! text-xs!")}
        />
        <Emphasized chart={chart} />
      </div>
      <ul className="grid max-h-24 grid-cols-[repeat(auto-fill,minmax(13rem,1fr))] gap-x-3 overflow-y-auto tabular-nums">
        {shown.map(({ one, read: { line, over } }) => (
          <Entry
            key={one.id}
            {...{ chart, series: one, over, onToggle }}
            off={hidden.has(one.id)}
            value={line}
          />
        ))}
        {shown.length === 0 && <li className="py-1 text-ink-faint">No series fits</li>}
      </ul>
    </div>
  );
}

function Emphasized({ chart }: { chart: LiveChart }) {
  const id = useStore(chart.emphasized);
  const series = chart.spec.series.find((one) => one.id === id);
  if (!series) return <span className="text-ink-faint">Hover a line to see whose it is</span>;
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-medium">
      <SeriesSwatch series={{ ...series, mode: "line" }} />
      <span className="truncate">{labelAt(series)}</span>
    </span>
  );
}

interface EntryProps {
  chart: LiveChart;
  series: SeriesSpec;
  value: Readout["line"];
  over: Readout["over"];
  off: boolean;
  onToggle: (id: string) => void;
}

const Entry = memo(function Entry({ chart, series, value, over, off, onToggle }: EntryProps) {
  const { id } = series;
  const emphasized = useStoreValue(chart.emphasized, (now) => now === id);
  return (
    <li>
      <button
        type="button"
        aria-pressed={!off}
        onClick={() => onToggle(id)}
        onPointerEnter={() => chart.emphasize(id)}
        onPointerLeave={() => chart.emphasize(null)}
        onFocus={() => chart.emphasize(id)}
        onBlur={() => chart.emphasize(null)}
        className={clsx(
          "flex w-full min-w-0 items-center gap-1.5 rounded-sm px-1 py-0.5 text-left hover:bg-rest-tint",
          emphasized && "bg-rest-tint",
          off && "opacity-55",
        )}
      >
        <SeriesSwatch series={{ ...series, mode: "line" }} />
        <span className={clsx("min-w-0 grow truncate text-ink-soft", off && "line-through")}>
          {labelAt(series, over)}
        </span>
        <b className="font-medium text-ink">{decimal(value)}</b>
      </button>
    </li>
  );
});
