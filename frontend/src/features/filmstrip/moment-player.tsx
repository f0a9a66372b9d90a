"use client";

import { type ChartGroup, useMoment } from "@/components/charts";
import type { RunDetail } from "@/lib/api";
import { useFilm, policyAt } from "@/lib/film";
import { useFilmChoice, wishOf } from "./film-choice";
import { GrowthCard } from "./growth-card";
import { MomentCard } from "./moment-card";

interface MomentPlayerProps {
  run: RunDetail;
  group: ChartGroup;
}

/** Plays the policy of the moment that was chosen, or the video of the whole training; nothing before that. */
export function MomentPlayer({ run, group }: MomentPlayerProps) {
  const moment = useMoment(group);
  const [choice, choose] = useFilmChoice(group);
  const { policies } = useFilm(run);
  const kept = policies.data?.policies ?? [];
  const close = () => {
    choose({ growth: false });
    group.moment.set(null);
  };
  if (kept.length === 0) return null;
  if (choice.growth) {
    return <GrowthCard run={run} until={kept.at(-1)!.step} wish={wishOf(choice)} onClose={close} />;
  }
  if (moment === null) return null;
  return (
    <MomentCard
      run={run}
      policies={kept}
      policy={policyAt(kept, moment)!}
      wish={wishOf(choice)}
      onWish={choose}
      onMoment={group.moment.set}
      onClose={close}
    />
  );
}
