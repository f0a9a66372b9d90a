"use client";

import { ChevronLeft, ChevronRight, Dices, X } from "lucide-react";
import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { useRunStill } from "@/api/choices";
import type { ClipOptions } from "@/api/film";
import { explainAction } from "@/api/http";
import type { Clip, KeptPolicy, RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { count, decimal, plural } from "@/lib/number";
import { ViewLayout } from "@/player/agent/views";
import { policyAfter, useClip } from "@/player/film";
import { usePlaybackController } from "@/player/video/playback-controller";
import { Badge } from "@/ui/badge";
import { Boundary } from "@/ui/boundary";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { ClipPlayer } from "./clip-player";

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
  options: ClipOptions;
  onOptions: (change: Partial<ClipOptions>) => void;
  onMoment: (step: number) => void;
  onClose: () => void;
  /** Forks the run at the moment. */
  fork: ReactNode;
}

const KINDS = { latest: "newest", best: "best", film: null, checkpoint: "checkpoint" } as const;
const SEEDS = 1_000_000;

/** One episode of the policy of a moment, on the seed of the one before, and what the policy makes of it. */
export function PolicyMoment({
  run,
  policies,
  policy,
  options,
  onOptions,
  onMoment,
  onClose,
  fork,
}: PolicyMomentProps) {
  const controller = usePlaybackController();
  const stillUrl = useRunStill(run);
  const { clip, isMaking, error, refetch } = useClip(run.id, policy.step, options);
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
          <Outcome clip={clip} />
          {clip?.status === "ready" && clip.steps ? (
            <Boundary what="What the policy makes of it">
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

function Outcome({ clip }: { clip: Clip | undefined }) {
  const episode = clip?.episodes[0];
  const end = !episode
    ? ""
    : episode.cut
      ? "cut here, it goes on"
      : episode.terminated
        ? "terminated"
        : "ended by the time limit";
  return (
    <p className="min-h-5 text-sm text-ink-soft tabular-nums">
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
