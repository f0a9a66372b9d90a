"use client";

import { GitFork } from "lucide-react";
import { useState } from "react";
import type { RunDetail } from "@/api/types";
import { parseInteger } from "@/forms/parse";
import { count } from "@/lib/number";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";

interface ForkAtStepProps {
  run: RunDetail;
  onFork: (step: number) => void;
}

/** Asks for the step to fork at, whether there is a snapshot of it or not. */
export function ForkAtStep({ run, onFork }: ForkAtStepProps) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const first = run.parent?.step ?? 0;
  const step = parseInteger(text, { minimum: first, maximum: run.step });
  return (
    <Popover
      label="Fork at a step"
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" icon={<GitFork aria-hidden className="size-3.5" />}>
          Fork at a step…
        </Button>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!step.ok) return;
          setOpen(false);
          onFork(step.value as number);
        }}
      >
        <Field
          label="Step"
          hint={`From ${count(first)} to ${count(run.step)}. Where there is no snapshot of it, the fork first trains this run again from the newest one before.`}
          error={text !== "" && !step.ok ? step.problem : undefined}
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
              className={controlClass}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" needsService unavailable={!step.ok && step.problem}>
          Choose what to change…
        </Button>
      </form>
    </Popover>
  );
}
