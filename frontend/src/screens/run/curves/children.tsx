"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { familyQuery, runsByIdQuery } from "@/api/runs";
import type { Relative, Run, RunDetail } from "@/api/types";
import type { SeriesSpec } from "@/charts/prepare/model";
import { count, plural, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import type { MetricAxis } from "@/stream/series/axis";
import { MEAN_RETURN } from "@/stream/series/run-series";
import { useRunCurves } from "@/stream/series/use-run-curves";
import { StatusBadge } from "@/ui/badge";
import { HoverLink } from "@/ui/hover-link";
import { type SeriesStyle, seriesStyle } from "@/ui/series-style";
import { Swatch } from "@/ui/swatch";
import { Switch } from "@/ui/switch";

/** A fork of the run of the page. */
export interface Child {
  run: Run;
  relative: Relative;
  style: SeriesStyle;
  shown: boolean;
}

/** The forks of a run, which can be drawn on its chart. */
export interface Children {
  all: readonly Child[];
  /** More forks exist than are listed. */
  others: number;
  /** The curves of the forks that are switched on. */
  series: readonly SeriesSpec[];
  /** Why no fork is drawn, in a sentence; null: forks can be drawn. */
  whyNot: string | null;
  toggle: (id: string) => void;
}

/** Number of listed forks, and number of forks that are drawn by default. */
const LISTED = 8;
const DRAWN = 4;
/** Numbers of their styles, except those of the run's own mean and evaluations. */
const STYLES = [1, 2, 4, 6, 7, 8, 9, 0];
/** What the mean return is computed from. */
export const FORK_METRICS: readonly string[] = ["episode/reward", "rollout/ep_rew_mean"];
const NONE: readonly Relative[] = [];

/** The direct forks of a run that still exist, newest first. */
export function forksOf(runId: string, members: readonly Relative[]): Relative[] {
  return members.filter(({ parent_id, deleted }) => parent_id === runId && !deleted).reverse();
}

/** The ids among `ids` that are drawn: the first few, adjusted by what the user switched. */
export function drawnOf(ids: readonly string[], switched: ReadonlySet<string>): string[] {
  return ids.filter((id, place) => place < DRAWN !== switched.has(id));
}

/** The style of fork number `place` of `count`, newest first. A fork keeps its style when new forks appear. */
export function styleAt(place: number, count: number): SeriesStyle {
  return seriesStyle(STYLES[(count - 1 - place) % STYLES.length]!);
}

/** The curve of the return of a fork, in its own colour. */
export function childSeries(
  { id, name }: Pick<Run, "id" | "name">,
  source: SeriesSpec["source"],
  { color, dash }: SeriesStyle,
): SeriesSpec {
  return {
    ...{ id: `fork ${id}`, source, metric: MEAN_RETURN, label: name },
    ...{ mode: "line", smooth: false, color, dash },
  };
}

export function useChildren(
  run: RunDetail,
  { axis, smoothing }: { axis: MetricAxis; smoothing: number },
): Children {
  const { data: family } = useQuery(familyQuery(run.id));
  const [switched, setSwitched] = useState<ReadonlySet<string>>(new Set());
  const forks = useMemo(() => (family ? forksOf(run.id, family.members) : NONE), [family, run.id]);
  const listed = forks.slice(0, LISTED);
  const ids = listed.map(({ run_id }) => run_id);
  const { data: found } = useQuery(runsByIdQuery(ids));
  const whyNot =
    axis === "time"
      ? "Forks are not drawn on the time axis, because each run has its own clock."
      : null;
  const drawn = whyNot === null ? drawnOf(ids, switched) : [];
  const styleOf = (id: string) =>
    styleAt(
      forks.findIndex((one) => one.run_id === id),
      forks.length,
    );
  const runs = ids.flatMap((id) => found?.runs.find((one) => one.id === id) ?? []);
  const followed = runs.filter(({ id }) => drawn.includes(id));
  const { curves } = useRunCurves(followed, { axis, smoothing, names: FORK_METRICS });
  const key = JSON.stringify(followed.map(({ id, name }) => [id, name, styleOf(id)]));
  const series = useMemo(
    () =>
      (JSON.parse(key) as [string, string, SeriesStyle][]).map(([id, name, style]) =>
        childSeries({ id, name }, curves(id).series, style),
      ),
    // `curves` reads from the pool, which stays the same while the page is open.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [key],
  );
  return {
    all: runs.map((one) => ({
      run: one,
      relative: listed.find(({ run_id }) => run_id === one.id)!,
      style: styleOf(one.id),
      shown: drawn.includes(one.id),
    })),
    others: forks.length - listed.length,
    series,
    whyNot,
    toggle: (id) =>
      setSwitched((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  };
}

/** The forks of a run below its chart: each can be switched on and off, and opened. Nothing without any. */
export function ChildrenBar({ childRuns }: { childRuns: Children }) {
  const { all, others, whyNot, toggle } = childRuns;
  if (all.length === 0) return null;
  return (
    <section aria-label="Forks of this run" className="flex min-w-0 flex-col gap-1 px-1 text-xs">
      <ul className="flex min-w-0 flex-wrap gap-x-5 gap-y-1">
        {all.map(({ run, relative, style, shown }) => (
          <li key={run.id} className="flex max-w-full flex-wrap items-center gap-x-2">
            <Switch
              label={<span className="sr-only">Draw {run.name}</span>}
              checked={shown}
              disabled={whyNot !== null}
              onChange={() => toggle(run.id)}
            />
            <Swatch seriesStyle={style} />
            <HoverLink
              href={routes.run(run.id)}
              className="max-w-[calc(100%-6rem)] truncate rounded-sm font-medium text-accent hover:underline"
            >
              {run.name}
            </HoverLink>
            <span className="shrink-0 text-ink-soft tabular-nums">
              forked at {count(relative.forked_at)}
              {changed(relative, run.name)}
            </span>
            <StatusBadge status={run.status} />
          </li>
        ))}
      </ul>
      {(whyNot ?? others > 0) && (
        <p className="text-ink-faint">
          {whyNot ?? `${plural(others, "older fork")} in the card Family.`}
        </p>
      )}
    </section>
  );
}

/** The changes of a fork in brief, unless its name contains them. */
function changed({ changes }: Relative, name: string): string {
  const own = changes.filter(({ in_parent }) => !in_parent);
  const [first] = own;
  if (!first) return "";
  const words = `${first.name} ${settingText(first.after)}`;
  if (name.endsWith(words)) return "";
  return `, ${words}${own.length > 1 ? ` and ${own.length - 1} more` : ""}`;
}
