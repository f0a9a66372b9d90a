"use client";

import { Pencil } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import type { Run } from "@/lib/api";
import { useLabels } from "./use-labels";

const LONGEST = 120;

/** The run's name; Enter or leaving keeps a change, Escape forgets it. */
export function RunTitle({ run }: { run: Run }) {
  const labels = useLabels(run.id);
  const [editing, setEditing] = useState(false);
  const keep = (text: string) => {
    setEditing(false);
    const name = text.trim();
    if (name !== "" && name !== run.name) labels.mutate({ name });
  };
  if (editing) {
    return (
      <input
        aria-label="Name of the run"
        defaultValue={run.name}
        maxLength={LONGEST}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onBlur={(event) => keep(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") keep(event.currentTarget.value);
          if (event.key === "Escape") setEditing(false);
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
        onClick={() => setEditing(true)}
        icon={<Pencil aria-hidden className="size-3.5" />}
      />
    </span>
  );
}
