"use client";

import clsx from "clsx";
import { MoreHorizontal } from "lucide-react";
import { memo, type ReactNode, useDeferredValue, useState } from "react";
import { compact, decimal } from "@/lib/number";
import { useStore, useStoreValue } from "@/lib/use-store";
import { Button } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";
import { controlClass } from "@/ui/select";
import { useCursor } from "./chart-group";
import {
  ChartCursor,
  ChartMarkLines,
  ChartMarks,
  ChartMoment,
  ChartPosition,
} from "./chart-overlays";
import { type ChartSettings, smoothingLabel, toggledLog } from "./chart-settings";
import type { LiveChart, useLiveChart } from "./live-chart";
import type { ChartAxis } from "./plot-options";
import { isCrowded, smooths } from "./prepare/curve";
import type { ChartMark } from "./prepare/marks";
import type { ChartModel, ChartSpec, Curve, SeriesSpec } from "./prepare/model";
import { intervalText, labelAt, type Readout, readoutAt } from "./prepare/readout";
import { SeedInterval } from "./seed-interval";

interface ChartBodyProps {
  live: ReturnType<typeof useLiveChart>;
  marks: readonly ChartMark[];
  /** Whether marks are thin lines without a text on hover. */
  marksAreLines?: boolean;
  /** Rendered below the chart, lined up with its axis. */
  under?: (axis: ChartAxis) => ReactNode;
  smoothing: number;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
  /** The class that sets the height of the plot. */
  className: string;
  hasLegend?: boolean;
}

/** The legend, the plot, and notes on what the plot leaves out. */
export function ChartBody({
  live,
  marks,
  marksAreLines = false,
  under,
  smoothing,
  hidden,
  onToggle,
  className,
  hasLegend = true,
}: ChartBodyProps) {
  const { chart, canvas, shown } = live;
  const { model, revision, width } = shown;
  const { isEmpty } = model;
  // Before the data is loaded, it is not known whether there is any.
  const isKnown = revision > 0 || chart.spec.series.length === 0;
  const Marks = marksAreLines ? ChartMarkLines : ChartMarks;
  return (
    <figure className="flex min-h-0 min-w-0 grow flex-col">
      {!hasLegend ? null : isCrowded(chart.spec) ? (
        <SeriesList {...{ chart, model, hidden, onToggle }} />
      ) : (
        <ChartLegend {...{ chart, model, smoothing, hidden, onToggle }} />
      )}
      <div className={clsx("relative mt-auto min-h-0", className)}>
        <div
          role="img"
          aria-label={model.summary}
          data-points={model.points}
          data-revision={revision}
          className="absolute inset-0"
        >
          <div
            ref={canvas}
            className={clsx("absolute inset-0 overflow-hidden", isEmpty && "invisible")}
          />
          {isEmpty && isKnown && (
            <p className="absolute inset-0 grid place-items-center px-4 text-center text-xs text-ink-faint">
              {chart.spec.empty}
            </p>
          )}
        </div>
        <ChartPosition chart={chart} model={model} />
        {!isEmpty && <ChartCursor chart={chart} model={model} hidden={hidden} />}
        {!isEmpty && !hasLegend && <CursorValues {...{ chart, model, hidden }} />}
        {!isEmpty && (
          <ChartMoment group={chart.group} inTabOrder={under !== undefined} {...{ model, width }} />
        )}
        {!isEmpty && marks.length > 0 && <Marks {...{ marks, model, width }} />}
      </div>
      {!isEmpty && under?.({ range: model.x, width })}
      {model.notes.length > 0 && (
        <figcaption
          title={model.notes.join(" · ")}
          className="px-1 pt-0.5 text-right text-2xs text-ink-faint tabular-nums md:truncate"
        >
          {model.notes.join(" · ")}
        </figcaption>
      )}
    </figure>
  );
}

interface ChartToolsProps {
  chart: LiveChart;
  /** Marks that are shown, to be drawn into a downloaded picture. */
  marks: readonly ChartMark[];
  settings: ChartSettings;
  onSettings: (change: Partial<ChartSettings>) => void;
}

/** The tools of one chart: logarithmic axis and downloads. */
export function ChartTools({ chart, marks, settings, onSettings }: ChartToolsProps) {
  const { id, title } = chart.spec;
  const log = settings.log.includes(id);
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        aria-label={`${title}: logarithmic axis`}
        title="Logarithmic axis"
        aria-pressed={log}
        className={log ? "bg-accent-tint! text-accent!" : undefined}
        onClick={() => onSettings({ log: toggledLog(settings, id) })}
      >
        Log
      </Button>
      <Menu
        trigger={
          <Button
            size="sm"
            variant="quiet"
            aria-label={`${title}: download`}
            icon={<MoreHorizontal aria-hidden className="size-3.5" />}
          />
        }
      >
        <MenuItem onSelect={() => chart.downloadPng(marks)}>Download picture (PNG)</MenuItem>
        <MenuItem onSelect={() => chart.downloadCsv()}>Download points (CSV)</MenuItem>
      </Menu>
    </>
  );
}

/** Series that the values beside the cursor name. */
const MOST_NAMED = 6;

interface CursorValuesProps {
  chart: LiveChart;
  model: ChartModel;
  hidden: ReadonlySet<string>;
}

/** The values under the cursor, the highest first, on the side of the plot where the cursor is not. */
function CursorValues({ chart, model, hidden }: CursorValuesProps) {
  const cursor = useDeferredValue(useCursor(chart.group));
  const emphasized = useStore(chart.emphasized);
  const [from, to] = model.x;
  if (cursor === null || cursor < from || cursor > to) return null;
  const known = chart.spec.series
    .map((series, i) => ({ series, ...readoutAt(model.curves[i]!, cursor) }))
    .filter(({ series, line }) => line !== null && !hidden.has(series.id))
    .sort((a, b) => b.line! - a.line!);
  if (known.length === 0) return null;
  const named = known.filter(({ series }, i) => i < MOST_NAMED || series.id === emphasized);
  return (
    <ul
      aria-hidden
      className={clsx(
        "pointer-events-none absolute top-1 z-10 flex max-w-1/2 flex-col rounded-sm bg-raised/85 px-1.5 py-1 text-2xs tabular-nums shadow-card",
        cursor > (from + to) / 2 ? "left-13" : "right-4",
      )}
    >
      {named.map(({ series, line, over }) => (
        <li
          key={series.id}
          className={clsx(
            "flex min-w-0 items-center gap-1.5",
            series.id === emphasized && "font-semibold",
          )}
        >
          <SeriesSwatch series={{ ...series, mode: "line" }} />
          <span className="min-w-0 grow truncate text-ink-soft">{labelAt(series, over)}</span>
          <b className="font-medium text-ink">{decimal(line)}</b>
        </li>
      ))}
      {known.length > named.length && (
        <li className="text-ink-faint">and {known.length - named.length} more</li>
      )}
    </ul>
  );
}

interface SeriesListProps {
  chart: LiveChart;
  model: ChartModel;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
}

/** The legend of many series: a list that can be searched, with the one under the pointer named above it. */
function SeriesList({ chart, model, hidden, onToggle }: SeriesListProps) {
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
        {shown.length === 0 && <li className="py-1 text-ink-faint">No series matches</li>}
      </ul>
    </div>
  );
}

function Emphasized({ chart }: { chart: LiveChart }) {
  const id = useStore(chart.emphasized);
  const series = chart.spec.series.find((one) => one.id === id);
  if (!series) return <span className="text-ink-faint">Hover over a line to see its name</span>;
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

interface SeriesSwatchProps {
  series: Pick<SeriesSpec, "mode" | "color" | "dash">;
  /** Drawn like the points behind a smoothed line. */
  faint?: boolean;
}

/** A sample of how a series is drawn in its chart. */
function SeriesSwatch({ series: { mode, color, dash = [] }, faint }: SeriesSwatchProps) {
  const stroke = `var(--${color})`;
  return (
    <svg
      aria-hidden
      viewBox="0 0 16 8"
      className={clsx("h-2 w-4 shrink-0", faint && "opacity-60")}
      style={{ color: stroke }}
    >
      {mode !== "points" && (
        <line
          x1="0"
          y1="4"
          x2="16"
          y2="4"
          stroke="currentColor"
          strokeWidth={faint ? 1 : 2}
          strokeDasharray={dash.map((length) => length * 0.6).join(" ")}
        />
      )}
      {mode === "points" &&
        [3, 8, 13].map((x, i) => (
          <circle key={x} cx={x} cy={[5, 2.5, 4.5][i]} r="1.25" fill="currentColor" />
        ))}
      {mode === "markers" && <circle cx="8" cy="4" r="2.75" fill="currentColor" />}
    </svg>
  );
}

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
function ChartLegend({ chart, model, smoothing, hidden, onToggle }: ChartLegendProps) {
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
          <LegendEntry
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

/** One entry per name, because several discarded lines can have the same name. */
function contextLabels({ context = [] }: ChartSpec): SeriesSpec[] {
  return context.filter(({ label }, i) => context.findIndex((one) => one.label === label) === i);
}

interface LegendEntryProps {
  series: SeriesSpec;
  curve: Curve;
  at: number | null;
  smoothing: number;
  dense: boolean;
  off: boolean;
}

/** Swatch, name and value never break apart. In a narrow chart the smoothed value wraps below the other. */
const figure = "flex max-w-full min-w-0 items-center gap-x-1.5 whitespace-nowrap";

function LegendEntry({ series, curve, at, smoothing, dense, off }: LegendEntryProps) {
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
        {band !== null && (
          <SeedInterval count={over} one={series.over?.one}>
            {intervalText(band)}
          </SeedInterval>
        )}
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
