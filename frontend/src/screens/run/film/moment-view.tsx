"use client";

import {
  ChevronLeft,
  ChevronRight,
  Clapperboard,
  Dices,
  GitFork,
  MousePointerClick,
  X,
} from "lucide-react";
import dynamic from "next/dynamic";
import { type ComponentType, type ReactNode, useState } from "react";
import { useRunStill } from "@/api/choices";
import type { ClipOptions } from "@/api/film";
import { explainAction } from "@/api/http";
import { whyNotTrusted } from "@/api/run-availability";
import type { Clip, KeptPolicy, RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { type ChartGroup, useMoment } from "@/charts/chart-group";
import { count, decimal, plural } from "@/lib/number";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { ViewLayout } from "@/player/agent/views";
import {
  clipOptionsOf,
  type Picture,
  picturesOf,
  policyAfter,
  policyAt,
  useClip,
  useFilm,
} from "@/player/film";
import { usePlaybackController } from "@/player/video/playback-controller";
import { Badge } from "@/ui/badge";
import { Boundary } from "@/ui/boundary";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { CurveMenuButton } from "../snapshots/curve-menu-button";
import { ClipPlayer } from "./clip-player";
import { optionsOf, useFilmChoice, whyNoFilm } from "./film-choice";
import { Growth } from "./growth";

interface MomentViewProps {
  run: RunDetail;
  group: ChartGroup;
  /** The moment is closed. */
  onLeave: () => void;
  /** A dialog that forks the run at a step. */
  Fork: ComponentType<{ run: RunDetail; at: number; onClose: () => void }>;
}

/** Plays the policy of the moment that was chosen, or the video of the whole training; or says how to choose. */
export function MomentView({ run, group, onLeave, Fork }: MomentViewProps) {
  const moment = useMoment(group);
  const stillUrl = useRunStill(run);
  const [choice, choose] = useFilmChoice(run, group);
  const { policies, clips } = useFilm(run);
  const kept = policies.data?.policies ?? [];
  const whyNotFilmed = whyNotTrusted(run);
  const leave = () => {
    choose({ growth: false });
    group.moment.set(null);
    onLeave();
  };
  if (kept.length > 0 && moment === null && choice.growth) {
    return (
      <Growth run={run} until={lastOfGrowth(kept)} options={optionsOf(choice)} onClose={leave} />
    );
  }
  if (kept.length > 0 && moment !== null) {
    return (
      <PolicyMoment
        fork={
          <>
            <ForkHere Fork={Fork} run={run} at={moment} />
            <CurveMenuButton run={run} group={group} />
          </>
        }
        run={run}
        policies={kept}
        policy={policyAt(kept, moment)!}
        pictures={picturesOf(clips.data ?? [], clipOptionsOf(run))}
        options={optionsOf(choice)}
        onOptions={choose}
        onMoment={group.moment.set}
        onClose={leave}
      />
    );
  }
  return (
    <NoMoment stillUrl={stillUrl}>
      {policies.isPending ? (
        <Skeleton className="absolute inset-0 rounded-none" />
      ) : policies.error ? (
        <StageNote alert>
          <p>{explainAction(policies.error)}</p>
          <Button size="sm" needsService onClick={() => void policies.refetch()}>
            Try again
          </Button>
        </StageNote>
      ) : kept.length === 0 || whyNotFilmed !== null ? (
        <StageNote>
          <p className="max-w-80">{whyNotFilmed ?? whyNoFilm(run)}</p>
        </StageNote>
      ) : (
        <Invitation
          policies={kept}
          onMoment={group.moment.set}
          onGrowth={() => choose({ growth: true })}
        />
      )}
    </NoMoment>
  );
}

/** The best policy, or the newest one if no best is known. */
function lastOfGrowth(policies: readonly KeptPolicy[]): number {
  return (policies.find(({ kinds }) => kinds.includes("best")) ?? policies.at(-1)!).step;
}

function ForkHere({ run, at, Fork }: Pick<MomentViewProps, "run" | "Fork"> & { at: number }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        needsService
        icon={<GitFork aria-hidden className="size-3.5" />}
        onClick={() => setOpen(true)}
      >
        Fork here…
      </Button>
      {open && <Fork run={run} at={at} onClose={() => setOpen(false)} />}
    </>
  );
}

function NoMoment({ stillUrl, children }: { stillUrl: string | null; children: React.ReactNode }) {
  const corner = useCornerWindow(false);
  return (
    <ViewLayout
      title="A moment of training"
      stage={
        <Stage label="Moment" caption="" corner={corner} stillUrl={stillUrl}>
          {children}
        </Stage>
      }
    />
  );
}

interface InvitationProps {
  policies: readonly KeptPolicy[];
  onMoment: (step: number) => void;
  onGrowth: () => void;
}

function Invitation({ policies, onMoment, onGrowth }: InvitationProps) {
  const best = policies.find(({ kinds }) => kinds.includes("best"));
  const first = policies[0]!;
  return (
    <StageNote>
      <MousePointerClick aria-hidden className="size-5 text-ink-faint" />
      <p className="max-w-72">
        Click the curve of the return, or the filmstrip below it: the policy of that moment plays
        here.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button size="sm" onClick={() => onMoment(first.step)}>
          {first.step === 0 ? "Untrained" : `Step ${count(first.step)}`}
        </Button>
        {best && best !== first && (
          <Button size="sm" onClick={() => onMoment(best.step)}>
            Best, step {count(best.step)}
          </Button>
        )}
        {policies.length > 1 && (
          <Button
            size="sm"
            needsService
            icon={<Clapperboard aria-hidden className="size-3.5" />}
            onClick={onGrowth}
          >
            How it learned
          </Button>
        )}
      </div>
    </StageNote>
  );
}

const ClipReading = dynamic(
  withRetry(() => import("./clip-reading").then((module) => module.ClipReading)),
  {
    ssr: false,
  },
);

interface PolicyMomentProps {
  run: RunDetail;
  policies: readonly KeptPolicy[];
  policy: KeptPolicy;
  /** Small pictures of policies on the seed of the filmstrip. */
  pictures: ReadonlyMap<number, Picture>;
  options: ClipOptions;
  onOptions: (change: Partial<ClipOptions>) => void;
  onMoment: (step: number) => void;
  onClose: () => void;
  /** Forks the run at the moment. */
  fork: ReactNode;
}

const KINDS = { latest: "newest", best: "best", film: null, checkpoint: "checkpoint" } as const;
const SEEDS = 1_000_000;

/** One episode of the policy of a moment, on the same seed as the previous one, and what the policy predicts in it. */
function PolicyMoment({
  run,
  policies,
  policy,
  pictures,
  options,
  onOptions,
  onMoment,
  onClose,
  fork,
}: PolicyMomentProps) {
  const controller = usePlaybackController();
  const stillUrl = useRunStill(run);
  const { clip, isMaking, error, refetch } = useClip(run.id, policy.step, options);
  const ofStrip = clipOptionsOf(run);
  const isOfStrip = options.seed === ofStrip.seed && options.greedy === ofStrip.greedy;
  const picture = (isOfStrip && pictures.get(policy.step)) || null;
  const move = (by: number) => {
    const next = policyAfter(policies, policy.step, by);
    if (next) onMoment(next.step);
  };
  const failed = !isMaking && clip?.status === "failed" && clip.step === policy.step;
  const failure = error ? (
    explainAction(error)
  ) : failed ? (
    <>
      <strong className="font-semibold text-ink">This policy could not be filmed.</strong>{" "}
      {clip.cause}
    </>
  ) : null;
  const name = `Policy of step ${count(policy.step)}`;
  return (
    <ViewLayout
      title={
        <>
          {name}
          {policy.kinds.map((kind) => KINDS[kind] && <Badge key={kind}>{KINDS[kind]}</Badge>)}
        </>
      }
      meta={`seed ${count(options.seed)} · ${options.greedy ? "greedy" : "exploring"}`}
      actions={
        <>
          <Step label="Policy before" disabled={policy === policies[0]} onPress={() => move(-1)}>
            <ChevronLeft aria-hidden className="size-4" />
          </Step>
          <Step label="Policy after" disabled={policy === policies.at(-1)} onPress={() => move(1)}>
            <ChevronRight aria-hidden className="size-4" />
          </Step>
          <Step label="Close the film" onPress={onClose}>
            <X aria-hidden className="size-4" />
          </Step>
        </>
      }
      stage={
        <>
          <ClipPlayer
            clip={clip}
            controller={controller}
            label={`the policy after ${count(clip?.step ?? policy.step)} steps`}
            caption={name}
            stillUrl={stillUrl}
            picture={picture?.url ?? null}
            making={isMaking ? `${name} is being filmed` : null}
            failure={failure}
            onRetry={() => void refetch()}
          />
          <div className="flex flex-wrap items-center gap-1">
            {fork}
            <Button
              size="sm"
              variant="quiet"
              aria-label="Another seed"
              title="Another seed"
              onClick={() => onOptions({ seed: Math.floor(Math.random() * SEEDS) })}
              icon={<Dices aria-hidden className="size-4" />}
            />
            <Segmented
              legend="Actions"
              className="ml-auto"
              value={options.greedy ? "greedy" : "exploring"}
              options={[
                { value: "greedy", label: "Greedy" },
                { value: "exploring", label: "Exploring" },
              ]}
              onChange={(how) => onOptions({ greedy: how === "greedy" })}
            />
          </div>
        </>
      }
      beside={
        <>
          <Outcome clip={clip?.step === policy.step ? clip : undefined} picture={picture} />
          {clip?.status === "ready" && clip.steps ? (
            <Boundary what="The policy output">
              <ClipReading run={run} clip={clip} controller={controller} />
            </Boundary>
          ) : (
            isMaking && !failure && <Skeleton className="h-80" />
          )}
        </>
      }
    />
  );
}

interface OutcomeProps {
  /** The clip of the chosen policy; undefined until it exists. */
  clip: Clip | undefined;
  picture: Picture | null;
}

/** The result of the episode that is shown. */
function Outcome({ clip, picture }: OutcomeProps) {
  const episode = clip?.episodes[0];
  const known = picture?.episodeReturn ?? null;
  const end = !episode
    ? ""
    : episode.cut
      ? "cut off before the end"
      : episode.terminated
        ? "terminated"
        : "ended by the time limit";
  return (
    <p className="min-h-5 text-sm text-ink-soft tabular-nums">
      {!episode && known !== null && (
        <>
          Return <strong className="font-semibold text-ink">{decimal(known)}</strong>
        </>
      )}
      {episode && (
        <>
          Return{" "}
          <strong className="font-semibold text-ink">{decimal(episode.episode_return)}</strong> in{" "}
          {plural(episode.episode_length, "step")}, {end}
        </>
      )}
    </p>
  );
}

interface StepProps {
  label: string;
  disabled?: boolean;
  onPress: () => void;
  children: React.ReactNode;
}

function Step({ label, disabled, onPress, children }: StepProps) {
  return (
    <Button size="sm" variant="quiet" aria-label={label} disabled={disabled} onClick={onPress}>
      {children}
    </Button>
  );
}
