"use client";

import { Pencil } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import type { Run } from "@/api/types";
import { Button } from "@/ui/button";
import { useLabels } from "./use-labels";

/** The run's name. Enter, or leaving the field, saves a change; Escape drops it. */
export function RunTitle({ run }: { run: Run }) {
  const labels = useLabels(run.id);
  const limits = useLimits();
  const [state, setState] = useState<"read" | "editing" | "edited">("read");
  const keep = (text: string) => {
    const name = text.trim();
    if (name !== "" && name !== run.name) labels.mutate({ name });
  };
  if (state === "editing") {
    return (
      <input
        aria-label="Name of the run"
        defaultValue={run.name}
        maxLength={limits?.run_name.maximum}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onBlur={(event) => {
          setState("read");
          keep(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          // The key would also press the button that receives the focus.
          event.preventDefault();
          setState("edited");
          if (event.key === "Enter") keep(event.currentTarget.value);
        }}
        className="-mx-1.5 min-w-0 rounded-md border border-control-line bg-raised px-1.5 text-xl font-semibold tracking-tight"
        size={Math.max(12, run.name.length)}
      />
    );
  }
  return (
    <span className="group flex min-w-0 items-center gap-1">
      <h1 className="min-w-0 text-xl font-semibold tracking-tight break-words">{run.name}</h1>
      <Button
        size="sm"
        variant="quiet"
        aria-label="Rename the run"
        // With the keyboard the focus returns to where the field was.
        autoFocus={state === "edited"}
        onClick={() => setState("editing")}
        icon={<Pencil aria-hidden className="size-3.5" />}
      />
    </span>
  );
}
