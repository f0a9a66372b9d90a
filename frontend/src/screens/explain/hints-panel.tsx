"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { MouseEvent } from "react";
import { hintsInterval } from "@/api/hint-tests";
import { lookedAtText, ruleText } from "@/api/hint-text";
import { keys } from "@/api/keys";
import { fetchMetricHistory } from "@/api/metrics";
import { hintsQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { Hint, HintRule, RunDetail } from "@/api/types";
import { linePath, scale } from "@/charts/figure-scale";
import { count, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { HintTests } from "@/screens/shared/hint-tests";
import { Badge, type BadgeTone, StatusBadge } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";

/** Milliseconds between two requests for the hints of a run that trains. */
const AGAIN = 10_000;

/** The hints about one run's curves. */
export function HintsPanel({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...hintsQuery(run.id),
    refetchInterval: ({ state }) => hintsInterval(state.data, isActive(run) && AGAIN),
  });
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Hints
          {data && data.hints.length > 0 && <Badge>{data.hints.length}</Badge>}
        </span>
      }
      label="Hints"
      aside={
        <span className="flex min-w-0 items-center gap-2 text-xs">
          <HoverLink
            href={routes.run(run.id)}
            className="min-w-0 truncate rounded-sm font-medium text-accent underline-offset-2 hover:underline"
          >
            {run.name}
          </HoverLink>
          <StatusBadge status={run.status} />
        </span>
      }
      bodyClass=""
    >
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !data ? (
        <div role="status" aria-label="Reading the curves" className="flex flex-col gap-3 p-4">
          <Skeleton className="h-20" />
          <Skeleton className="h-20" />
        </div>
      ) : (
        <>
          {data.hints.length === 0 ? (
            <EmptyState icon={CircleCheck} title="No hints">
              {isActive(run)
                ? "So far, the run's curves show none of the problems below. The app checks them again during training."
                : "The run's curves show none of the problems below."}
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {data.hints.map((hint) => (
                <HintItem key={`${hint.id} ${hint.from_step}`} runId={run.id} hint={hint} />
              ))}
            </ul>
          )}
          <RulesAsked rules={data.rules} />
        </>
      )}
    </Card>
  );
}

const severities: Record<Hint["severity"], { word: string; tone: BadgeTone; Icon: LucideIcon }> = {
  problem: { word: "Problem", tone: "bad", Icon: CircleAlert },
  warning: { word: "Warning", tone: "warn", Icon: TriangleAlert },
  info: { word: "Note", tone: "rest", Icon: Info },
};

/** A hint: evidence, suggestion, and the curve with the marked range of steps. */
function HintItem({ runId, hint }: { runId: string; hint: Hint }) {
  const { word, tone, Icon } = severities[hint.severity];
  return (
    <li className="grid gap-x-6 gap-y-3 px-4 py-4 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>
            <Icon aria-hidden className="size-3" />
            {word}
          </Badge>
          <h3 className="font-semibold">{hint.title}</h3>
        </div>
        <p className="mt-1.5 max-w-[72ch] text-sm text-ink-soft">{hint.evidence}</p>
        <p className="mt-1.5 max-w-[72ch] text-sm">
          <span className="font-medium">Try: </span>
          {hint.suggestion}
        </p>
        <p className="mt-1.5 text-xs text-ink-faint tabular-nums">{lookedAtText(hint)}</p>
        <HintTests hint={hint} className="mt-1.5 max-w-[72ch]" />
        <p className="mt-2.5 flex flex-wrap gap-2">
          <WhyLink hint={hint} />
          <HoverLink
            href={routes.runChart(runId, hint.metric, hint.from_step, hint.to_step)}
            className={buttonClass("quiet", "sm")}
          >
            See the run&apos;s chart
          </HoverLink>
        </p>
      </div>
      <figure className="min-w-0">
        <HintCurve runId={runId} hint={hint} />
        <figcaption className="mt-1 text-2xs text-ink-soft tabular-nums">
          <span className="font-mono">{hint.metric}</span>
          <br />
          {where(hint)}
        </figcaption>
      </figure>
    </li>
  );
}

/**
 * Links to the guide's failure mode with the hint's id if the page has one, otherwise to the section that the
 * hint names.
 */
function WhyLink({ hint: { id, learn } }: { hint: Hint }) {
  const aim = (event: MouseEvent) => {
    if (!document.getElementById(id)) return;
    event.preventDefault();
    window.location.hash = id;
  };
  return (
    <a href={`#${learn}`} onClick={aim} className={buttonClass("secondary", "sm")}>
      Why this happens
    </a>
  );
}

function where({ from_step: from, to_step: to }: Hint): string {
  return from === to ? `at step ${count(from)}` : `steps ${count(from)} to ${count(to)}`;
}

const SIZE = { width: 220, height: 56 };
const POINTS = 110;

/** The curve that a hint refers to, with the stretch marked. While it loads, its space is reserved. */
function HintCurve({ runId, hint }: { runId: string; hint: Hint }) {
  const { metric, from_step: from, to_step: to } = hint;
  const { data } = useQuery({
    queryKey: [...keys.hints(runId), "curve", metric],
    queryFn: ({ signal }) =>
      fetchMetricHistory(runId, { names: [metric], maxPoints: POINTS }, signal),
  });
  const series = data?.series[metric];
  const drawn = series && hintCurvePath(series.x, series.y, { from, to }, SIZE);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      preserveAspectRatio="none"
      className="h-14 w-full rounded-md bg-sunken sm:w-55"
    >
      {drawn && (
        <>
          <rect
            x={drawn.mark.from}
            width={drawn.mark.to - drawn.mark.from}
            height={SIZE.height}
            className="fill-warn-tint"
          />
          <path
            d={`M${drawn.mark.from} 0V${SIZE.height}M${drawn.mark.to} 0V${SIZE.height}`}
            className="stroke-warn"
            vectorEffect="non-scaling-stroke"
          />
          <path
            d={drawn.path}
            fill="none"
            className="stroke-chart-mean"
            strokeWidth={1.5}
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}

export interface HintCurvePath {
  /** SVG path data. A gap in the values ends a subpath. */
  path: string;
  /** Left and right edge of the marked stretch, in pixels. */
  mark: { from: number; to: number };
}

export interface CurveSize {
  width: number;
  height: number;
}

const PAD = 4;
const LEAST_MARK = 4;

/** A sparkline of a metric with the stretch that a hint refers to; `null` without values. */
export function hintCurvePath(
  x: readonly number[],
  y: readonly (number | null)[],
  range: { from: number; to: number },
  { width, height }: CurveSize,
): HintCurvePath | null {
  const values = y.filter((value) => value !== null);
  const first = x[0];
  const last = x.at(-1);
  if (values.length < 2 || first === undefined || last === undefined || first === last) return null;
  const across = scale([first, last], [0, width]);
  const up = scale(bounds(values), [height - PAD, PAD]);
  const runs: [number, number][][] = [[]];
  y.forEach((value, i) => {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([across(x[i] ?? first), up(value)]);
  });
  const from = Math.max(0, Math.min(across(range.from), width - LEAST_MARK));
  const to = Math.min(width, Math.max(across(range.to), from + LEAST_MARK));
  return { path: runs.map(linePath).join(""), mark: { from, to } };
}

/** Minimum and maximum. A constant curve gets one more on each side, so that it lies in the middle. */
function bounds(values: readonly number[]): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** Every hint rule: what it looks for in the run, and how much data its result is based on. */
function RulesAsked({ rules }: { rules: readonly HintRule[] }) {
  if (rules.length === 0) return null;
  const waiting = rules.filter(({ state }) => state === "waiting").length;
  return (
    <Disclosure
      className="border-t border-line px-4 py-2"
      summary="Checks"
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {plural(rules.length, "check")}
          {waiting > 0 && `, ${waiting} without enough data yet`}
        </span>
      }
    >
      <dl className="mt-1 grid gap-x-6 gap-y-1 pb-2 text-xs sm:grid-cols-[auto_1fr]">
        {rules.map((rule) => (
          <div key={`${rule.id} ${rule.looks_for}`} className="contents">
            <dt className="text-ink">{capitalized(rule.looks_for)}</dt>
            <dd className="mb-1 text-ink-soft tabular-nums sm:mb-0">{ruleText(rule)}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
