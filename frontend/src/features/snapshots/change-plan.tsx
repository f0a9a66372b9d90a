"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { isActive } from "@/api/runs";
import { changeSnapshotPlan } from "@/api/snapshots";
import type { Limits, RunDetail, SnapshotPlan } from "@/api/types";
import { planDraft, PlanFields, planOf } from "@/forms/snapshot-plan";
import { Button } from "@/ui/button";
import { MEND_FIRST } from "@/ui/field";
import { Popover } from "@/ui/popover";

interface ChangePlanProps {
  run: RunDetail;
  plan: SnapshotPlan;
}

/** Changes when snapshots are taken and how many are kept. */
export function ChangePlan({ run, plan }: ChangePlanProps) {
  const [open, setOpen] = useState(false);
  const limits = useLimits();
  return (
    <Popover
      label="When snapshots are taken"
      align="end"
      className="w-80 max-w-[calc(100vw-1.5rem)] p-3"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" icon={<SlidersHorizontal aria-hidden className="size-3.5" />}>
          When…
        </Button>
      }
    >
      {limits && <PlanForm {...{ run, plan, limits }} onDone={() => setOpen(false)} />}
    </Popover>
  );
}

interface PlanFormProps extends ChangePlanProps {
  limits: Limits;
  onDone: () => void;
}

function PlanForm({ run, plan, limits, onDone }: PlanFormProps) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => planDraft(plan, limits));
  const typed = planOf(draft, limits);
  const save = useMutation({
    mutationFn: () => changeSnapshotPlan(run.id, typed.plan),
    onSuccess: (found) => {
      client.setQueryData(keys.snapshots(run.id), found);
      onDone();
    },
  });
  const isWrong = Object.keys(typed.problems).length > 0;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) save.mutate();
      }}
    >
      <PlanFields
        draft={draft}
        problems={typed.problems}
        onChange={(change) => {
          save.reset();
          setDraft((old) => ({ ...old, ...change }));
        }}
      />
      <p className="text-xs text-ink-soft">
        {isActive(run)
          ? "It holds from the next rollout on."
          : "Snapshots that are too many are deleted at once."}
      </p>
      {save.error && (
        <p role="alert" className="text-xs text-bad">
          {explainAction(save.error)}
        </p>
      )}
      <Button
        type="submit"
        variant="primary"
        needsService
        busy={save.isPending}
        unavailable={isWrong && MEND_FIRST}
      >
        Save
      </Button>
    </form>
  );
}
