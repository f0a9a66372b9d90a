"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { GitFork, Split } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { knobsQuery } from "@/api/rules";
import { forkChangesQuery, forkRun } from "@/api/snapshots";
import type { RunDetail } from "@/api/types";
import type { ChartGroup } from "@/charts/chart-group";
import { count } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useStore } from "@/lib/use-store";
import { MenuAt, MenuItem, MenuSeparator, MenuText } from "@/ui/menu";
import { toast } from "@/ui/toast";
import { curveChanges, type CurveChange, forkWith } from "./curve-changes";
import { ForkAt } from "./fork-at";
import { whyNotForkAtStep } from "./snapshot-text";

interface CurveMenuProps {
  run: RunDetail;
  group: ChartGroup;
}

/**
 * The menu of a point of the curve: forks the run there with one hyperparameter halved or doubled, and starts the fork,
 * which is then drawn on the same chart.
 */
export function CurveMenu({ run, group }: CurveMenuProps) {
  const point = useStore(group.menu);
  const moment = useStore(group.moment);
  const [forkedAt, setForkedAt] = useState<number | null>(null);
  const step = moment === null ? null : Math.min(moment, run.step);
  return (
    <>
      {point && step !== null && (
        <MenuAt
          key={step}
          label={`Change something from step ${count(step)}`}
          point={point}
          onClose={() => group.menu.set(null)}
        >
          <Changes run={run} step={step} onFork={() => setForkedAt(step)} />
        </MenuAt>
      )}
      {forkedAt !== null && <ForkAt run={run} at={forkedAt} onClose={() => setForkedAt(null)} />}
    </>
  );
}

interface ChangesProps {
  run: RunDetail;
  step: number;
  /** Opens the form of a fork. */
  onFork: () => void;
}

function Changes({ run, step, onFork }: ChangesProps) {
  const router = useRouter();
  const client = useQueryClient();
  const longestName = useLimits()?.run_name.maximum;
  const whyNot = whyNotForkAtStep(run);
  const enabled = whyNot === null;
  const knobs = useQuery({ ...knobsQuery(run.id), enabled });
  const places = useQuery({ ...forkChangesQuery(run.id, { step }), enabled });
  const begins = places.data?.at?.step ?? step;
  const fork = useMutation({
    mutationFn: (change: CurveChange) =>
      forkRun(run.id, forkWith(run, change, step, begins, longestName)),
    onSuccess: ({ id, name }) => {
      void client.invalidateQueries({ queryKey: keys.runs });
      void client.invalidateQueries({ queryKey: keys.family(run.id) });
      toast({
        title: `Forked at step ${count(begins)}`,
        description: `${name} is drawn on the same chart.`,
        tone: "good",
        link: { label: "Open it", onFollow: () => router.push(routes.run(id)) },
      });
    },
    onError: (error) => toast({ title: explainAction(error), tone: "bad" }),
  });
  const failure = knobs.error ?? places.error;
  if (whyNot !== null) return <MenuText>{whyNot}</MenuText>;
  if (failure) return <MenuText>{explainAction(failure)}</MenuText>;
  if (!knobs.data || !places.data || !run.config)
    return <MenuText>Looking for the snapshot…</MenuText>;
  const again = places.data.at?.trained_again_from ?? null;
  return (
    <>
      <MenuText>
        A new run continues exactly from step {count(begins)}
        {again === null
          ? "."
          : `, after this run is trained again from ${again === 0 ? "its beginning" : `step ${count(again)}`}.`}
      </MenuText>
      {curveChanges(run.config, knobs.data.knobs, places.data).map((change) => (
        <MenuItem key={change.label} icon={<Split />} onSelect={() => fork.mutate(change)}>
          {change.label} here
          <span className="block text-2xs text-ink-soft tabular-nums">{change.values}</span>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={<GitFork />} onSelect={onFork}>
        Other changes…
      </MenuItem>
    </>
  );
}
