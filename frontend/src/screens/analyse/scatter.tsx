"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type AnalyticsQuestion, runScatterQuery } from "@/api/analytics";
import type { ReturnsScale, ScatterPoint } from "@/api/types";
import { compact, count, decimal, plural, settingText } from "@/lib/number";
import { addressOf } from "@/lib/root-path";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Disclosure, useOpenLinks } from "@/ui/disclosure";
import { HoverLink } from "@/ui/hover-link";
import { seriesStyle } from "@/ui/series-style";
import { Answer, NO_RUNS, NO_VALUES, useValueName } from "./answer";
import { columnInText, columnName, type Extent, extentOf, placeIn, ticksOf } from "./columns";

/** Points that are drawn at most; more would hide each other. */
const MOST_DRAWN = 2_000;
const MOST_LISTED = 20;

interface ScatterProps {
  question: AnalyticsQuestion;
  x: string;
  onEnvironment: (envId: string) => void;
}

/** A setting of each run against its measure, and how far the one goes with the other. */
export function Scatter({ question, x, onEnvironment }: ScatterProps) {
  const asked = useQuery({ ...runScatterQuery(question, x), placeholderData: keepPreviousData });
  const valueName = useValueName();
  const names = {
    ...{ x: columnName(x).label, y: columnName(question.measure).label },
    group: (value: string) => valueName(question.by[0], value),
  };
  return (
    <Answer
      asked={asked}
      nothing={({ points, runs, scale }) =>
        runs === 0 ? (
          NO_RUNS
        ) : points.length > 0 ? null : scale.notes.length > 0 ? (
          <ScaleNote {...{ scale, onEnvironment }} />
        ) : (
          `None of the runs that match has both ${names.x} and ${names.y}.`
        )
      }
    >
      {({ points, count: total, runs, correlation, by_group: byGroup, scale }) => {
        const drawn = points.slice(0, MOST_DRAWN);
        return (
          <Card
            title={`${names.y} against ${columnInText(x)}${scaleName(scale)}`}
            aside={
              <span className="text-xs text-ink-faint">
                {drawn.length < runs
                  ? `${count(drawn.length)} of ${plural(runs, "run")}`
                  : plural(runs, "run")}
              </span>
            }
          >
            <ScaleNote {...{ scale, onEnvironment }} />
            <Legend {...{ byGroup, names }} />
            <Plot points={drawn} groups={Object.keys(byGroup)} {...{ names }} />
            <p className="mt-3 text-sm">
              {correlation === null
                ? scale.notes.length > 0 && !scale.is_normalised
                  ? "No rank correlation over runs that are not on one scale."
                  : "Too few different values for a rank correlation."
                : `Spearman's rank correlation over ${plural(total, "run")}: ${decimal(correlation)}.`}{" "}
              <span className="text-xs text-ink-faint">
                1: the higher {names.x}, the higher {names.y}. This does not prove a cause.
              </span>
            </p>
            <Best points={points} {...{ names }} />
          </Card>
        );
      }}
    </Answer>
  );
}

interface Names {
  x: string;
  y: string;
  /** Of a group of runs. */
  group: (value: string) => string;
}

interface LegendProps {
  byGroup: Record<string, number | null>;
  names: Names;
}

function Legend({ byGroup, names }: LegendProps) {
  return (
    <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
      {Object.entries(byGroup).map(([name, correlation], i) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg aria-hidden className="size-3 overflow-visible">
            <Marker x="50%" y="50%" shape={i} color={seriesStyle(i).color} />
          </svg>
          {names.group(name)}
          {correlation !== null && (
            <span className="text-ink-faint">rank correlation {decimal(correlation)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface PlotProps {
  points: readonly ScatterPoint[];
  groups: readonly string[];
  names: Names;
}

function Plot({ points, groups, names }: PlotProps) {
  const openLinks = useOpenLinks();
  const across = extentOf(
    points.map(({ x }) => x),
    true,
  );
  const up = extentOf(points.map(({ y }) => y));
  const places = new Map(groups.map((name, i) => [name, i]));
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-1 text-2xs text-ink-faint tabular-nums">
      <AxisTicks extent={up} text={compact} vertical className="py-3" />
      <div className="border-b border-l border-line p-3">
        <p className="sr-only">{`${names.y} against ${names.x} of ${plural(points.length, "run")}`}</p>
        {/* Thousands of links would be in the way of the keyboard: the list below has the best ones. */}
        <svg aria-hidden className="block h-64 w-full overflow-visible md:h-96" onClick={openLinks}>
          {points.map((point) => {
            const shape = places.get(point.group) ?? groups.length;
            return (
              <a key={point.run_id} href={addressOf(routes.run(point.run_id))} tabIndex={-1}>
                <title>{`${names.group(point.group)}: ${decimal(point.y)} at ${decimal(point.x)} (${point.run_id})`}</title>
                <Marker
                  x={`${placeIn(point.x, across)}%`}
                  y={`${100 - placeIn(point.y, up)}%`}
                  shape={shape}
                  color={seriesStyle(shape).color}
                />
              </a>
            );
          })}
        </svg>
      </div>
      <AxisTicks extent={across} count={4} text={settingText} className="col-start-2 px-3" />
      <p className="col-start-2 text-center">
        {names.x}
        {across.log && " (logarithmic)"}
      </p>
    </div>
  );
}

/** The best points as links, which the keyboard reaches. */
function Best({ points, names }: { points: readonly ScatterPoint[]; names: Names }) {
  const best = [...points].sort((one, other) => other.y - one.y).slice(0, MOST_LISTED);
  return (
    <Disclosure summary={`The best ${plural(best.length, "run")}`} className="mt-2">
      <ol className="mt-1 flex flex-col gap-1 text-sm tabular-nums">
        {best.map(({ run_id: id, group, x, y }) => (
          <li key={id} className="flex flex-wrap gap-x-3">
            <HoverLink href={routes.run(id)} className="rounded-sm text-accent hover:underline">
              {id}
            </HoverLink>
            <span className="text-ink-soft">
              {names.group(group)}, {names.y} {decimal(y)}, {names.x} {decimal(x)}
            </span>
          </li>
        ))}
      </ol>
    </Disclosure>
  );
}

interface MarkerProps {
  x: string;
  y: string;
  /** The number of the group, from which its shape follows: groups differ by more than their colour. */
  shape: number;
  /** Name of a CSS variable without the leading dashes. */
  color: string;
}

const SHAPES = [
  "M0-4a4 4 0 1 0 .01 0z",
  "M-3.5-3.5h7v7h-7z",
  "M0-4.5l4.4 8h-8.8z",
  "M0-5l4 5-4 5-4-5z",
  "M0 4.5l4.4-8h-8.8z",
];

/** A point of a scatter plot. */
function Marker({ x, y, shape, color }: MarkerProps) {
  return (
    <svg x={x} y={y} className="overflow-visible">
      <path
        d={SHAPES[shape % SHAPES.length]}
        style={{ fill: `var(--${color})`, stroke: "var(--surface)" }}
        fillOpacity={0.75}
        strokeWidth={0.75}
      />
    </svg>
  );
}

interface AxisTicksProps {
  extent: Extent;
  /** Approximate number. */
  count?: number;
  text: (tick: number) => string;
  vertical?: boolean;
  /** Inset to match the plot beside it. */
  className: string;
}

/** The values of round ticks, with their positions on the axis. */
export function AxisTicks({ extent, count, text, vertical = false, className }: AxisTicksProps) {
  return (
    <div aria-hidden className={className}>
      <div className={vertical ? "relative h-full w-10" : "relative h-4"}>
        {ticksOf(extent, count).map((tick) => {
          const place = `${placeIn(tick, extent)}%`;
          return (
            <span
              key={tick}
              className={
                vertical
                  ? "absolute right-0 translate-y-1/2 whitespace-nowrap"
                  : "absolute -translate-x-1/2 whitespace-nowrap"
              }
              style={vertical ? { bottom: place } : { left: place }}
            >
              {text(tick)}
            </span>
          );
        })}
      </div>
    </div>
  );
}

interface ScaleNoteProps {
  scale: ReturnsScale;
  onEnvironment: (envId: string) => void;
}

/** On what scale returns of several environments are put together, and a choice of one environment instead. */
export function ScaleNote({ scale: { environments, notes }, onEnvironment }: ScaleNoteProps) {
  if (notes.length === 0) return null;
  const runs = new Map<string, number>();
  for (const { env_id: id, runs: more } of environments) runs.set(id, (runs.get(id) ?? 0) + more);
  return (
    <div className="mb-3 flex flex-col gap-2">
      <p className="max-w-prose text-sm text-ink-soft">{notes.join(" ")}</p>
      {runs.size > 1 && (
        <div
          role="group"
          aria-label="Look at one environment"
          className="flex flex-wrap items-center gap-2"
        >
          <span className="text-sm text-ink-soft">Look at one environment:</span>
          {[...runs].map(([id, count]) => (
            <Button key={id} onClick={() => onEnvironment(id)} title={plural(count, "run")}>
              {id}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Why no run has a value: none has the measure, or none can be put on the scale. */
export function NoValues(props: ScaleNoteProps) {
  return props.scale.notes.length > 0 ? <ScaleNote {...props} /> : NO_VALUES;
}

/** Suffix of the name of a measure. */
export function scaleName({ is_normalised: isNormalised }: ReturnsScale): string {
  return isNormalised ? " (normalised)" : "";
}
