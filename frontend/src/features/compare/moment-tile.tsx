"use client";

import { LoaderCircle } from "lucide-react";
import { useEffect } from "react";
import { explainAction } from "@/api/http";
import type { KeptPolicy, Run } from "@/api/types";
import { brief, count, decimal } from "@/lib/number";
import { DEFAULT_CLIP_OPTIONS, policyAt, useClip, useFilm } from "@/player/film";
import type { PlaybackController } from "@/player/video/playback-controller";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import type { SeriesStyle } from "@/ui/series-style";
import { firstPolicyFrom, type Reached } from "./same-return";
import { Tile } from "./tile";
import { TileVideo } from "./tile-video";

/** The moment of a run's training that is shown. */
export type Moment = { by: "step"; step: number } | ({ by: "return" } & Reached);

interface MomentTileProps {
  run: Run;
  seriesStyle: SeriesStyle | undefined;
  controller: PlaybackController;
  moment: Moment;
}

/** A tile with the policy that a run had at a moment of its training, or the reason why there is none. */
export function MomentTile({ run, seriesStyle, controller, moment }: MomentTileProps) {
  const { data, error } = useFilm(run).policies;
  const policy = data && policyOf(data.policies, moment);
  const reachedAt = moment.by === "return" ? moment.step : null;
  return (
    <Tile run={run} seriesStyle={seriesStyle}>
      {policy ? (
        <Played {...{ run, policy, controller, reachedAt }} />
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
  controller: PlaybackController;
  /** Step at which the run had the selected return; null: no return is selected. */
  reachedAt: number | null;
}

function Played({ run, policy, controller, reachedAt }: PlayedProps) {
  const { clip, isMaking, error, refetch } = useClip(run.id, policy.step, DEFAULT_CLIP_OPTIONS);
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
  const first = `The first that is kept is of step ${count(policies[0]!.step)}.`;
  return policies.some(({ kinds }) => kinds.includes("film"))
    ? `It has no policy from this step or before. ${first}`
    : `No film was kept of this run. ${first}`;
}
