"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { explainAction } from "@/api/http";
import { meanReturnsQuery } from "@/api/metrics";
import { isActive } from "@/api/runs";
import type { KeptPolicy, Run } from "@/api/types";
import { brief, count, decimal } from "@/lib/number";
import { CLIP_SEED, policyAt, useClip, useFilm } from "@/player/film";
import { type PlaybackController, usePlaybackController } from "@/player/video/playback-controller";
import { Player } from "@/player/video/player";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";
import type { SeriesStyle } from "@/ui/series-style";
import { Slider } from "@/ui/slider";
import { firstPolicyFrom, type Reached, reachedReturn, returnsOf } from "./same-return";
import type { SeriesStyles } from "./series-styles";
import { Tile, Tiles, TileVideo } from "./tile";
import { LeftOut, MOST_VIDEOS } from "./videos";

interface SameMomentProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** What all runs have in common: the step or the return. */
  by: "step" | "return";
  /** Placed at the end of the title line. */
  aside: ReactNode;
}

/** The policies of all runs at the same step, or at the same mean return, each on the same seed. */
export function SameMoment({ runs: all, seriesStyles, by, aside }: SameMomentProps) {
  const controller = usePlaybackController();
  const runs = all.slice(0, MOST_VIDEOS);
  const byReturn = by === "return";
  const { data, error } = useQuery({
    ...meanReturnsQuery(runs.map(({ id }) => id)),
    enabled: byReturn,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      runs.some(isActive) || state.data?.live ? RENEW_EVERY_MS : false,
  });
  const returns = data && returnsOf(data);
  const { least, largest, shared } = returns ?? { least: 0, largest: 0, shared: 0 };
  // What all runs had reached when this was opened. The values stay until the user changes them,
  // though runs train on.
  const [step, setStep] = useState(() => Math.min(...runs.map((run) => run.step)));
  const [chosenReturn, setReturn] = useState<number | null>(null);
  if (chosenReturn === null && returns) setReturn(shared);
  const wanted = Math.min(largest, Math.max(least, chosenReturn ?? shared));
  const value = byReturn ? `a mean return of ${brief(wanted)}` : `step ${count(step)}`;
  const moment = (run: Run): Moment =>
    byReturn && data ? { by, ...reachedReturn(data, run.id, wanted) } : { by: "step", step };
  if (byReturn && !data) {
    return (
      <Card title="At the same return" aside={aside} bodyClass="p-4">
        {error ? <p role="alert">{explainAction(error)}</p> : <Skeleton className="h-80" />}
      </Card>
    );
  }
  return (
    <Card
      title={byReturn ? "At the same return" : "At the same step"}
      className="@container"
      bodyClass="flex flex-col gap-3 p-4"
      aside={
        <span className="flex flex-wrap items-center gap-3">
          <LeftOut all={all.length} />
          {aside}
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {byReturn ? (
          <Slider
            label="Mean return"
            {...{ value: wanted, min: least, max: largest, valueText: value }}
            step={(largest - least) / 100}
            onChange={setReturn}
            className="min-w-40 grow basis-40"
          />
        ) : (
          <Slider
            label="Step"
            {...{ value: step, min: 0, max: Math.max(1, ...runs.map((run) => run.step)) }}
            valueText={value}
            onChange={setStep}
            className="min-w-40 grow basis-40"
          />
        )}
        <output className="text-sm tabular-nums sm:min-w-48 sm:text-right">At {value}</output>
      </div>
      <Player label="Player of all clips" controller={controller} chapters={NO_CHAPTERS}>
        <Tiles count={runs.length}>
          {runs.map((run) => (
            <MomentTile
              key={run.id}
              run={run}
              seriesStyle={seriesStyles.get(run.id)}
              controller={controller}
              moment={moment(run)}
            />
          ))}
        </Tiles>
      </Player>
    </Card>
  );
}

/** Milliseconds between two requests for the returns of runs that train. */
const RENEW_EVERY_MS = 10_000;

const NO_CHAPTERS = [] as const;

/** The moment of a run's training that is shown. */
type Moment = { by: "step"; step: number } | ({ by: "return" } & Reached);

interface MomentTileProps {
  run: Run;
  seriesStyle: SeriesStyle | undefined;
  controller: PlaybackController;
  moment: Moment;
}

/** A tile with the policy that a run had at a moment of its training, or the reason why there is none. */
function MomentTile({ run, seriesStyle, controller, moment }: MomentTileProps) {
  const { data, error } = useFilm(run).policies;
  const policy = data && policyOf(data.policies, moment);
  const reachedAt = moment.by === "return" ? moment.step : null;
  return (
    <Tile run={run} seriesStyle={seriesStyle}>
      {policy ? (
        <Played {...{ run, policy, controller, reachedAt }} greedy={data?.greedy ?? true} />
      ) : data || error ? (
        <p
          role={error ? "alert" : undefined}
          className="grid aspect-3/2 place-content-center rounded-md border border-dashed border-line-strong p-4 text-center text-sm text-ink-soft"
        >
          {error ? explainAction(error) : whyNone(data?.policies ?? [], moment)}
        </p>
      ) : (
        <Skeleton className="aspect-3/2" />
      )}
    </Tile>
  );
}

interface PlayedProps {
  run: Run;
  policy: KeptPolicy;
  /** Whether the policy takes its most likely actions, as in the run's evaluations. */
  greedy: boolean;
  controller: PlaybackController;
  /** Step at which the run had the selected return; null: no return is selected. */
  reachedAt: number | null;
}

function Played({ run, policy, greedy, controller, reachedAt }: PlayedProps) {
  const { clip, isMaking, error, refetch } = useClip(run.id, policy.step, {
    ...{ seed: CLIP_SEED, greedy },
  });
  const { video, video_url: url, episodes } = clip ?? {};
  // External system: the video elements, which start together whenever one of them changes.
  useEffect(() => {
    if (!url) return;
    controller.seek(0);
    controller.play();
  }, [controller, url]);
  const failure = error ? explainAction(error) : clip?.status === "failed" && clip.cause;
  const retry = () => void refetch();
  if (failure && !isMaking) {
    return (
      <div className="flex aspect-3/2 flex-col items-center justify-center gap-3 rounded-md border border-dashed border-line-strong p-4 text-center text-sm text-ink-soft">
        <p role="alert">{failure}</p>
        <Button size="sm" needsService onClick={retry}>
          Try again
        </Button>
      </div>
    );
  }
  return (
    <>
      {video && url ? (
        <TileVideo key={url} {...{ video, url, controller, name: run.name }} onGone={retry} />
      ) : (
        <Skeleton className="aspect-3/2" />
      )}
      <p role="status" className="flex items-center gap-2 text-xs text-ink-faint tabular-nums">
        {isMaking && <LoaderCircle aria-hidden className="size-3.5 animate-spin" />}
        {isMaking
          ? `The policy after ${count(policy.step)} steps is being filmed`
          : episodes?.[0] &&
            [
              ...(reachedAt === null ? [] : [`Reached at step ${count(reachedAt)}`]),
              `Policy of step ${count(policy.step)}`,
              `return ${decimal(episodes[0].episode_return)}`,
            ].join(" · ")}
      </p>
    </>
  );
}

/** The newest policy up to a step; or the first one that had learned enough for a return. */
function policyOf(policies: readonly KeptPolicy[], moment: Moment): KeptPolicy | undefined {
  if (moment.by === "return")
    return moment.step === null ? undefined : firstPolicyFrom(policies, moment.step);
  const found = policyAt(policies, moment.step);
  return found && found.step <= moment.step ? found : undefined;
}

function whyNone(policies: readonly KeptPolicy[], moment: Moment): string {
  if (moment.by === "return" && moment.step === null) {
    return moment.best === null
      ? "It has no return yet."
      : `It never had this return. Its best is ${brief(moment.best)}.`;
  }
  if (policies.length === 0) return "No policy of this run was kept.";
  const first = `The first one kept is of step ${count(policies[0]!.step)}.`;
  return policies.some(({ kinds }) => kinds.includes("film"))
    ? `It has no policy of this step or earlier. ${first}`
    : `This run keeps no film. ${first}`;
}
