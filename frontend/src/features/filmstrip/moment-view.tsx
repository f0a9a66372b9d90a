"use client";

import { Clapperboard, GitFork, MousePointerClick } from "lucide-react";
import { type ComponentType, useState } from "react";
import { useRunStill } from "@/api/choices";
import { explainAction } from "@/api/http";
import { whyNotTrusted } from "@/api/run-availability";
import type { KeptPolicy, RunDetail } from "@/api/types";
import { type ChartGroup, useMoment } from "@/charts/chart-group";
import { count } from "@/lib/number";
import { Stage, StageNote, useCornerWindow } from "@/player/agent/stage";
import { ViewLayout } from "@/player/agent/views";
import { policyAt, useFilm } from "@/player/film";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import { optionsOf, useFilmChoice } from "./film-choice";
import { Growth } from "./growth";
import { PolicyMoment } from "./policy-moment";
import { whyNoFilm } from "./why-no-film";

interface MomentViewProps {
  run: RunDetail;
  group: ChartGroup;
  /** Nobody looks at a moment any more. */
  onLeave: () => void;
  /** A dialog that forks the run at a step. */
  Fork: ComponentType<{ run: RunDetail; at: number; onClose: () => void }>;
}

/** Plays the policy of the moment that was chosen, or the video of the whole training; or says how to choose. */
export function MomentView({ run, group, onLeave, Fork }: MomentViewProps) {
  const moment = useMoment(group);
  const stillUrl = useRunStill(run);
  const [choice, choose] = useFilmChoice(group);
  const { policies } = useFilm(run);
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
        fork={<ForkHere Fork={Fork} run={run} at={moment} />}
        run={run}
        policies={kept}
        policy={policyAt(kept, moment)!}
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

/** The best policy, or the newest where none is known to be the best. */
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
      title="A moment of its training"
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
