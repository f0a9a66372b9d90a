"use client";

import clsx from "clsx";
import { type PointerEvent, useDeferredValue, useId, useState, useSyncExternalStore } from "react";
import { type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import type { MetricInfo } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { type ChartGroup, useCursor, useZoomWindow } from "@/charts/chart-group";
import type { ChartSettings } from "@/charts/chart-settings";
import { type Frame, Plot, useWidth } from "@/charts/figure";
import { linearTicks } from "@/charts/figure-scale";
import { axisNames } from "@/charts/prepare/axes";
import { positionLabel } from "@/charts/prepare/readout";
import { columnAt, type Stack, stackOf } from "@/charts/prepare/stack";
import { compact, decimal, shareText } from "@/lib/number";
import type { AxisWindow } from "@/stream/series/axis";
import { Column } from "@/stream/series/column";
import type { RunSeries } from "@/stream/series/run-series";
import { Card } from "@/ui/card";
import { seriesStyle } from "@/ui/series-style";

/** Names the chart in an address, as the id of a chart does. */
export const REWARD_CHART = "reward";
export const REWARD_TITLE = "Where the reward comes from";

const HELP =
  "Each column shows what the components of the reward added to the return of an episode, on average: gains above zero, " +
  "losses below. The line is their sum. Shares are of everything gained and lost in what is shown.";

const NO_PART = "Every component is hidden";
const NOTHING = new Column();

/** Pixels between two ticks of the axis, about. */
const TICK_WIDTH = 110;

/** Pixels of a column, at least. */
const LEAST_WIDTH = 6;

/** The metrics of the reward's components among `names`, in the order of the registry; none unless there are several. */
export function componentsAmong(
  registry: MetricRegistry,
  names: readonly string[],
): readonly string[] {
  const found = names.filter((name) => Boolean(registry.get(name).component));
  return found.length > 1 ? registry.sorted(found) : [];
}

interface RewardComponentsProps {
  series: RunSeries;
  /** Metrics of the components. */
  metrics: readonly string[];
  settings: ChartSettings;
  group: ChartGroup;
  /** Height of the picture in pixels. */
  height: number;
  highlight: AxisWindow | null;
}

/** The components of the reward over training, stacked. */
export function RewardComponents({
  series,
  metrics,
  settings,
  group,
  height,
  highlight,
}: RewardComponentsProps) {
  const registry = useMetricRegistry();
  const window = useZoomWindow(group);
  useSyncExternalStore(
    series.subscribe,
    () => series.revision,
    () => series.revision,
  );
  const [place, width] = useWidth(640);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const toggle = (id: string) =>
    setHidden((old) => (old.includes(id) ? old.filter((one) => one !== id) : [...old, id]));
  const stack = stackOf(
    metrics.map((id) => ({
      id,
      column: hidden.includes(id) ? NOTHING : series.column(id, window),
    })),
    { window, smoothing: settings.smoothing, most: Math.floor(width / LEAST_WIDTH) },
  );
  const infos = metrics.map((metric) => registry.get(metric));
  const [pointed, setPointed] = useState<string | null>(null);
  return (
    <Card
      label={REWARD_TITLE}
      title={
        <span className="flex min-w-0 items-center gap-1.5">
          <span className="truncate">{REWARD_TITLE}</span>
          <ChartHelp title={REWARD_TITLE} text={HELP} />
        </span>
      }
      className="flex h-full flex-col"
      bodyClass="flex grow flex-col px-3 pt-2.5 pb-1.5"
    >
      <Legend {...{ infos, stack, hidden, group }} onToggle={toggle} onPoint={setPointed} />
      <div ref={place} className="flex min-w-0 grow flex-col">
        {stack === null ? (
          <p className="grid grow place-items-center text-xs text-ink-faint" style={{ height }}>
            {hidden.length < metrics.length ? "No finished episode in this part" : NO_PART}
          </p>
        ) : (
          <Picture
            {...{ stack, infos, group, height, highlight, width, pointed }}
            axis={series.axis}
          />
        )}
      </div>
    </Card>
  );
}

interface PictureProps {
  stack: Stack;
  infos: readonly MetricInfo[];
  group: ChartGroup;
  axis: RunSeries["axis"];
  height: number;
  width: number;
  highlight: AxisWindow | null;
  /** The component whose legend entry is under the pointer. */
  pointed: string | null;
}

function Picture({ stack, infos, group, axis, height, width, highlight, pointed }: PictureProps) {
  const hatch = useId();
  const cursor = useDeferredValue(useCursor(group));
  const chosen = cursor === null ? null : columnAt(stack, cursor);
  const column = chosen ?? stack.totals.length - 1;
  const ticks = linearTicks(stack.x, Math.max(3, Math.round(width / TICK_WIDTH)));
  const where = positionLabel(axis, Math.round(stack.edges[column + 1]!));
  const said = infos.map(
    ({ component }, i) => `${component} ${decimal(stack.parts[i]!.values[column])}`,
  );
  return (
    <figure className="min-w-0">
      <Plot
        label={`${REWARD_TITLE}, up to ${where}: ${said.join(", ")}; sum ${decimal(stack.totals[column])}.`}
        height={height}
        x={{
          domain: stack.x,
          ticks: ticks.map(({ at }) => at),
          label: axisNames[axis],
          format: (at) => ticks.find((tick) => tick.at === at)?.label ?? compact(at),
        }}
        y={{
          domain: stack.y,
          ticks: linearTicks(stack.y, 4).map(({ at }) => at),
          label: "",
        }}
      >
        {(frame) => (
          <Columns {...{ stack, infos, frame, hatch, group, highlight, pointed, chosen }} />
        )}
      </Plot>
    </figure>
  );
}

interface ColumnsProps extends Pick<
  PictureProps,
  "stack" | "infos" | "group" | "highlight" | "pointed"
> {
  frame: Frame;
  /** Id of the pattern for bonuses. */
  hatch: string;
  chosen: number | null;
}

function Columns({ stack, infos, frame, hatch, group, highlight, pointed, chosen }: ColumnsProps) {
  const { x, y, left, right, top, bottom } = frame;
  const follow = (event: PointerEvent<SVGRectElement>) => {
    group.cursor.set(
      x.invert(left + event.clientX - event.currentTarget.getBoundingClientRect().left),
    );
  };
  const lit = highlight && [clampTo(frame, x(highlight[0])), clampTo(frame, x(highlight[1]))];
  return (
    <>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M-1 7L7 -1M5 7L7 5M-1 1L1 -1" className="stroke-surface" strokeWidth="1.5" />
        </pattern>
      </defs>
      {lit && (
        <rect
          x={lit[0]}
          width={Math.max(0, lit[1]! - lit[0]!)}
          y={top}
          height={bottom - top}
          className="fill-accent-tint"
        />
      )}
      {stack.parts.map(({ id, spans }, i) => {
        const path = columnsPath(stack.edges, spans, frame);
        return (
          <g key={id} data-component={id} opacity={pointed === null || pointed === id ? 0.85 : 0.2}>
            <path d={path} fill={`var(--${seriesStyle(i).color})`} />
            {!infos[i]!.of_environment && <path d={path} fill={`url(#${hatch})`} />}
          </g>
        );
      })}
      <line x1={left} x2={right} y1={y(0)} y2={y(0)} className="stroke-chart-axis" />
      <path d={stepsPath(stack, frame)} fill="none" className="stroke-ink" strokeWidth={1.5} />
      {chosen !== null && (
        <rect
          x={x(stack.edges[chosen]!)}
          width={Math.max(1, x(stack.edges[chosen + 1]!) - x(stack.edges[chosen]!))}
          y={top}
          height={bottom - top}
          className="fill-none stroke-ink-faint"
        />
      )}
      <rect
        x={left}
        width={right - left}
        y={top}
        height={bottom - top}
        fill="transparent"
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={() => group.cursor.set(null)}
      />
    </>
  );
}

function clampTo({ left, right }: Frame, at: number): number {
  return Math.min(right, Math.max(left, at));
}

function columnsPath(
  edges: readonly number[],
  spans: Stack["parts"][number]["spans"],
  { x, y }: Frame,
): string {
  return spans
    .map(([from, to], i) =>
      from === to
        ? ""
        : `M${px(x(edges[i]!))} ${px(y(from))}V${px(y(to))}H${px(x(edges[i + 1]!))}V${px(y(from))}Z`,
    )
    .join("");
}

function stepsPath({ edges, totals }: Stack, { x, y }: Frame): string {
  return totals
    .map(
      (total, i) => `${i ? "V" : `M${px(x(edges[0]!))} `}${px(y(total))}H${px(x(edges[i + 1]!))}`,
    )
    .join("");
}

function px(value: number): string {
  return value.toFixed(1);
}

interface LegendProps {
  stack: Stack | null;
  infos: readonly MetricInfo[];
  hidden: readonly string[];
  group: ChartGroup;
  onToggle: (id: string) => void;
  onPoint: (id: string | null) => void;
}

/** Names the components, with their shares, and their values at the cursor or at the end. A click hides one. */
function Legend({ stack, infos, hidden, group, onToggle, onPoint }: LegendProps) {
  const cursor = useDeferredValue(useCursor(group));
  const column =
    stack &&
    ((cursor === null ? null : columnAt(stack, cursor)) ?? Math.max(0, stack.totals.length - 1));
  return (
    <ul aria-label="Components" className="flex flex-wrap gap-x-4 gap-y-1 px-1 pb-1 text-xs">
      {infos.map(({ name, component, help, of_environment }, i) => {
        const part = stack?.parts[i];
        const off = hidden.includes(name);
        return (
          <li key={name} className="flex items-center gap-1.5">
            <button
              type="button"
              title={help}
              aria-pressed={!off}
              onClick={() => onToggle(name)}
              onPointerEnter={() => onPoint(off ? null : name)}
              onPointerLeave={() => onPoint(null)}
              onFocus={() => onPoint(off ? null : name)}
              onBlur={() => onPoint(null)}
              className={clsx(
                "flex items-center gap-1.5 rounded-sm tabular-nums pointer-coarse:min-h-6",
                off && "opacity-55",
              )}
            >
              <span
                aria-hidden
                className={clsx("size-2.5 shrink-0 rounded-sm", !of_environment && "opacity-60")}
                style={{ background: `var(--${seriesStyle(i).color})` }}
              />
              <span className={clsx("text-ink-soft", off && "line-through")}>{component}</span>
              {part && !off && (
                <>
                  <b className="font-medium">{shareText(part.share)}</b>
                  <span className="text-ink-faint">{decimal(part.values[column!])}</span>
                </>
              )}
            </button>
            {!of_environment && (
              <span className="rounded-sm bg-sunken px-1 text-2xs text-ink-soft">
                not of the environment
              </span>
            )}
          </li>
        );
      })}
      {stack && (
        <li className="flex items-center gap-1.5 tabular-nums">
          <svg aria-hidden width={14} height={8} className="shrink-0">
            <path d="M0 4H14" className="stroke-ink" strokeWidth={1.5} />
          </svg>
          <span className="text-ink-soft">Sum</span>
          <b className="font-medium">{decimal(stack.totals[column!])}</b>
        </li>
      )}
    </ul>
  );
}
