"use client";

import { NotebookPen } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { controlClass } from "@/components/ui/field";
import { Popover } from "@/components/ui/popover";
import type { Run } from "@/lib/api";
import { useLabels } from "./use-labels";

const LONGEST = 10_000;

/** The first line of the notes; opens all of them to be written. */
export function RunNotes({ run }: { run: Run }) {
  const labels = useLabels(run.id);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(run.notes);
  const show = (next: boolean) => {
    if (next) setText(run.notes);
    else if (text !== run.notes) labels.mutate({ notes: text });
    setOpen(next);
  };
  const first = run.notes.trim().split("\n")[0];
  return (
    <Popover
      label="Notes"
      open={open}
      onOpenChange={show}
      className="w-96 p-2"
      trigger={
        <Button
          size="sm"
          variant="quiet"
          aria-label={first ? `Notes: ${first}` : "Write notes"}
          icon={<NotebookPen aria-hidden className="size-3.5 shrink-0" />}
          className="h-5! max-w-72 min-w-0 px-1.5!"
        >
          <span className="truncate">{first || "Notes"}</span>
        </Button>
      }
    >
      <textarea
        aria-label="Notes on the run"
        placeholder="What you tried, what you saw. Kept when you leave."
        value={text}
        maxLength={LONGEST}
        rows={6}
        autoFocus
        onChange={(event) => setText(event.currentTarget.value)}
        className={`${controlClass} h-auto! resize-y py-2`}
      />
    </Popover>
  );
}
