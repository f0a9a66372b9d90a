"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { groupRunsQuery, isActive } from "@/api/runs";
import type { Run, SeedGroup } from "@/api/types";
import type { SeriesSpec } from "@/charts/prepare/model";
import { useSeedCurves } from "@/charts/seed-curves";
import { Sparkline } from "@/charts/sparkline";
import { decimal, interval, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import type { MetricAxis } from "@/stream/series/axis";
import { StatusBadge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { HoverLink } from "@/ui/hover-link";
import { Switch } from "@/ui/switch";

interface SeedsCardProps {
  /** Id of the run whose page it is. */
  own: string;
  seeds: Seeds;
  /** Whether the band of the group is shown behind the curve of the return. */
  band: boolean;
  onBand: (shown: boolean) => void;
}

/** The group of a run: what its seeds amount to, and each of them on demand. */
export function SeedsCard({ own, seeds: { group, runs }, band, onBand }: SeedsCardProps) {
  const { iqm, low, high, scored, solved, run_ids, definition } = group;
  return (
    <Card
      title="Seeds"
      aside={
        <HoverLink
          href={routes.compareRuns(run_ids)}
          className="rounded-sm text-xs font-medium text-accent hover:underline"
        >
          Compare all
        </HoverLink>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-ink-soft">
          {iqm === null ? (
            <>None of the {plural(run_ids.length, "seed")} has finished an episode yet.</>
          ) : (
            <>
              Return over the last 100 episodes, interquartile mean of {scored} of{" "}
              {plural(run_ids.length, "seed")}:{" "}
              <strong className="font-semibold text-ink tabular-nums" title={definition}>
                {decimal(iqm)}
                {` ${interval(low, high)}`}
              </strong>
              {solved > 0 && `; ${solved} solved`}.
            </>
          )}
        </p>
        <Switch label="Band of all seeds behind the curve" checked={band} onChange={onBand} />
        <Disclosure summary="Single seeds">
          <p className="text-right text-2xs text-ink-faint">
            Mean return of each over its last 100 episodes
          </p>
          <ul className="flex flex-col divide-y divide-line text-sm">
            {runs.map((run) => (
              <li key={run.id} className="flex items-center gap-2 py-1.5">
                {run.id === own ? (
                  <strong aria-current="page" className="grow truncate font-semibold">
                    seed {run.seed}
                  </strong>
                ) : (
                  <HoverLink
                    href={routes.run(run.id)}
                    className="grow truncate rounded-sm font-medium text-accent hover:underline"
                  >
                    seed {run.seed}
                  </HoverLink>
                )}
                <Sparkline values={run.sparkline} className="h-5 w-16 shrink-0 text-chart-raw" />
                <span className="w-14 shrink-0 text-right text-xs text-ink-soft tabular-nums">
                  {decimal(run.ep_rew_mean)}
                </span>
                <StatusBadge status={run.status} />
              </li>
            ))}
          </ul>
        </Disclosure>
      </div>
    </Card>
  );
}

/** Milliseconds between requests while a seed of the group trains. */
const REFRESH_MS = 3_000;

export interface Seeds {
  group: SeedGroup;
  /** All runs of the group, by seed. */
  runs: readonly Run[];
}

/** The group of a run; null for a single run, or until loaded. */
export function useSeeds(run: Run): Seeds | null {
  const { data } = useQuery({
    ...groupRunsQuery(run.group_id),
    // The stream tells of single runs; what they amount to is the service's to say.
    refetchInterval: ({ state }) => (state.data?.runs.some(isActive) ? REFRESH_MS : false),
  });
  const group = data?.groups.find(({ id }) => id === run.group_id);
  if (!data || !group) return null;
  return { group, runs: data.runs.toSorted((one, other) => one.seed - other.seed) };
}

/** The curve of the whole group with its interval, to be drawn behind that of a run; empty while it is not `shown`. */
export function useSeedBand(
  seeds: Seeds | null,
  axis: MetricAxis,
  shown: boolean,
): readonly SeriesSpec[] {
  const ids = seeds?.group.run_ids ?? [];
  const { sourceOf, sizeOf } = useSeedCurves(ids, {
    axis,
    live: seeds?.runs.some(isActive) ?? false,
    enabled: shown && ids.length > 1,
  });
  const source = sourceOf(seeds?.group.id ?? "");
  const count = sizeOf(seeds?.group.id ?? "") ?? ids.length;
  return useMemo(
    () =>
      shown && ids.length > 1
        ? [
            {
              ...{ id: "seeds", source, metric: "iqm", mode: "line", smooth: false },
              ...{ label: `IQM of ${plural(count, "seed")}, 95 % interval`, color: "ink-faint" },
              band: { low: "low", high: "high" },
            },
          ]
        : [],
    [source, shown, count, ids.length],
  );
}
