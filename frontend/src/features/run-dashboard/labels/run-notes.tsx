"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Check, CircleAlert, NotebookPen } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { patchRun } from "@/api/runs";
import type { Run, RunDetail } from "@/api/types";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";
import type { SaveState } from "./autosave";
import { useAutosave } from "./use-autosave";

/** The first line of the notes; a press opens a field for all of them. Use the run's id as key. */
export function RunNotes({ run }: { run: Run }) {
  const { autosave, state, error } = useAutosave(useSaveNotes(run.id));
  const limits = useLimits();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(run.notes);
  const show = (next: boolean) => {
    // Unsaved text is newer than the run's.
    if (next && (state === "untouched" || state === "saved")) setText(run.notes);
    if (!next) autosave.flush();
    setOpen(next);
  };
  const first = run.notes.trim().split("\n")[0];
  const failed = state === "failed";
  const Icon = failed ? CircleAlert : NotebookPen;
  const label = failed ? "Notes not saved" : first || "Notes";
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
          aria-label={failed ? label : first ? `Notes: ${first}` : "Write notes"}
          icon={<Icon aria-hidden className="size-3.5 shrink-0" />}
          className={`h-5! max-w-72 min-w-0 px-1.5! ${failed ? "text-bad!" : ""}`}
        >
          <span className="truncate">{label}</span>
        </Button>
      }
    >
      <textarea
        aria-label="Notes on the run"
        placeholder="What you tried, what you saw."
        value={text}
        maxLength={limits?.notes.maximum}
        rows={6}
        autoFocus
        onChange={({ target: { value } }) => {
          setText(value);
          autosave.type(value);
        }}
        className={`${controlClass} h-auto! resize-y py-2`}
      />
      <SaveLine state={state} error={error} retry={() => autosave.flush()} />
    </Popover>
  );
}

interface SaveLineProps {
  state: SaveState;
  error: Error | null;
  retry: () => void;
}

function SaveLine({ state, error, retry }: SaveLineProps) {
  if (error) {
    return (
      <div role="alert" className="mt-1 flex items-start justify-between gap-2 px-0.5">
        <p className="text-xs text-bad">Not saved. {explainAction(error)}</p>
        <Button size="sm" needsService onClick={retry}>
          Try again
        </Button>
      </div>
    );
  }
  return (
    <p role="status" className="mt-1 flex items-center gap-1 px-0.5 text-xs text-ink-faint">
      {state === "saved" && <Check aria-hidden className="size-3 text-good" />}
      {WORDS[state]}
    </p>
  );
}

const WORDS = { untouched: "Saved as you type", saving: "Saving…", saved: "Saved", failed: "" };

function useSaveNotes(id: string) {
  const client = useQueryClient();
  return async (notes: string) => {
    await patchRun(id, { notes });
    client.setQueryData<RunDetail>(keys.run(id), (old) => old && { ...old, notes });
    void client.invalidateQueries({ queryKey: keys.runs });
  };
}
