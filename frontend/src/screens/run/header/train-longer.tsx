"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { FastForward } from "lucide-react";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { useRunActions } from "@/api/run-actions";
import { whyNot } from "@/api/run-availability";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail } from "@/api/types";
import { count, parseNumber } from "@/lib/number";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";

/** Adds steps to a run that has done all of its steps, or continues one that ended early. */
export function TrainLonger({ run, className }: { run: RunDetail; className?: string }) {
  const [open, setOpen] = useState(false);
  const reason = whyNot("extend", run);
  return (
    <Popover
      label="Train longer"
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          needsService
          unavailable={reason}
          className={className}
          icon={<FastForward aria-hidden className="size-3.5" />}
        >
          <span className="max-sm:sr-only">Train longer…</span>
        </Button>
      }
    >
      <Form run={run} onDone={() => setOpen(false)} />
    </Popover>
  );
}

function Form({ run, onDone }: { run: RunDetail; onDone: () => void }) {
  const actions = useRunActions();
  const endedEarly = run.step < run.total_timesteps;
  const [steps, setSteps] = useState(String(run.total_timesteps * (endedEarly ? 1 : 2)));
  const { data } = useQuery(snapshotsQuery(run.id));
  const wanted = parseNumber(steps);
  const isLonger = wanted > run.total_timesteps;
  const least = run.total_timesteps + (endedEarly ? 0 : 1);
  const isPossible = Number.isInteger(wanted) && wanted >= least;
  const spread = isLonger ? (data?.spread_over_training ?? []) : [];
  const ask = useMutation({
    mutationFn: () => actions.resume(run.id, { total_timesteps: wanted }),
    onSuccess: onDone,
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isPossible) ask.mutate();
      }}
    >
      <Field
        label="Total timesteps"
        hint={`It has done ${count(run.step)}${endedEarly ? ` of ${count(run.total_timesteps)}` : ""}.`}
        error={
          !isPossible
            ? `Enter a whole number of steps, ${count(least)} or more.`
            : ask.error
              ? explainAction(ask.error)
              : undefined
        }
      >
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            value={steps}
            onChange={(event) => setSteps(event.target.value)}
            className={controlClass}
          />
        )}
      </Field>
      {spread.length > 0 && (
        <p className="text-xs text-ink-soft">
          {spread.join(", ")} {spread.length === 1 ? "follows" : "follow"} a schedule over the whole
          of training, which is stretched to the new length from here on.
        </p>
      )}
      <Button
        type="submit"
        variant="primary"
        needsService
        unavailable={!isPossible && "Enter more steps than are trained already."}
        busy={ask.isPending}
      >
        Continue training
      </Button>
    </form>
  );
}
