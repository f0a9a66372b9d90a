"use client";

import { ChevronLeft, ChevronRight, Dices, X } from "lucide-react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Notice } from "@/components/ui/notice";
import { Segmented } from "@/components/ui/segmented";
import {
  type Clip,
  type ClipWish,
  explainAction,
  type KeptPolicy,
  type RunDetail,
} from "@/lib/api";
import { policyAfter, useClip } from "@/lib/film";
import { count, decimal, plural } from "@/lib/format";
import { ClipPlayer } from "./clip-player";

interface MomentCardProps {
  run: RunDetail;
  policies: readonly KeptPolicy[];
  policy: KeptPolicy;
  wish: ClipWish;
  onWish: (change: Partial<ClipWish>) => void;
  onMoment: (step: number) => void;
  onClose: () => void;
}

const KINDS = { latest: "newest", best: "best", film: null, checkpoint: "checkpoint" } as const;
const SEEDS = 1_000_000;

/** One episode of the policy of a moment, on the seed of the one before. */
export function MomentCard({
  run,
  policies,
  policy,
  wish,
  onWish,
  onMoment,
  onClose,
}: MomentCardProps) {
  const { clip, isMaking, error, refetch } = useClip(run.id, policy.step, wish);
  const move = (by: number) => {
    const next = policyAfter(policies, policy.step, by);
    if (next) onMoment(next.step);
  };
  const failed = !isMaking && clip?.status === "failed" && clip.step === policy.step;
  return (
    <Card
      label="Moment"
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="tabular-nums">After {count(policy.step)} steps</span>
          {policy.kinds.map((kind) => KINDS[kind] && <Badge key={kind}>{KINDS[kind]}</Badge>)}
        </span>
      }
      aside={
        <span className="-mr-2 flex items-center">
          <Step label="Policy before" disabled={policy === policies[0]} onPress={() => move(-1)}>
            <ChevronLeft aria-hidden className="size-4" />
          </Step>
          <Step label="Policy after" disabled={policy === policies.at(-1)} onPress={() => move(1)}>
            <ChevronRight aria-hidden className="size-4" />
          </Step>
          <Step label="Close the film" onPress={onClose}>
            <X aria-hidden className="size-4" />
          </Step>
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      {error && (
        <Notice tone="bad" role="alert" title={explainAction(error)}>
          <Button size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </Notice>
      )}
      {failed && (
        <Notice tone="bad" role="alert" title="This policy could not be filmed">
          <p className="text-ink-soft">{clip.cause}</p>
          <Button size="sm" className="mt-2" onClick={() => void refetch()}>
            Try again
          </Button>
        </Notice>
      )}
      <ClipPlayer
        clip={clip}
        label={`the policy after ${count(clip?.step ?? policy.step)} steps`}
        making={
          isMaking && !error ? `The policy after ${count(policy.step)} steps is being filmed` : null
        }
        onError={() => void refetch()}
      />
      <Outcome clip={clip} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented
          legend="How it acts"
          value={wish.greedy ? "greedy" : "exploring"}
          options={[
            { value: "greedy", label: "Best action" },
            { value: "exploring", label: "Exploring" },
          ]}
          onChange={(how) => onWish({ greedy: how === "greedy" })}
        />
        <Button
          size="sm"
          variant="quiet"
          icon={<Dices aria-hidden className="size-3.5" />}
          onClick={() => onWish({ seed: Math.floor(Math.random() * SEEDS) })}
          title="Play another episode, on another seed"
        >
          Seed {count(wish.seed)}
        </Button>
      </div>
    </Card>
  );
}

function Outcome({ clip }: { clip: Clip | undefined }) {
  const episode = clip?.episodes[0];
  if (!episode) return null;
  const end = episode.cut
    ? "cut here, it goes on"
    : episode.terminated
      ? "reached its end"
      : "ended by the time limit";
  return (
    <p className="text-sm text-ink-soft tabular-nums">
      Return <strong className="font-semibold text-ink">{decimal(episode.episode_return)}</strong>{" "}
      in {plural(episode.episode_length, "step")}, {end}
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
