"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, CircleAlert, NotebookPen, Pencil, Plus, X } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { patchRun, tagsQuery } from "@/api/runs";
import type { PatchRun, Run, RunDetail } from "@/api/types";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";
import { toast } from "@/ui/toast";
import { type SaveState, useAutosave } from "./autosave";

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

export function RunTags({ run }: { run: Run }) {
  const labels = useLabels(run.id);
  const most = useLimits()?.tags.maximum ?? Infinity;
  const set = (tags: string[]) => labels.mutate({ tags });
  return (
    <span className="flex flex-wrap items-center gap-1">
      {run.tags.map((tag) => (
        <Badge key={tag} className="pr-0.5!">
          <span className="truncate">{tag}</span>
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            onClick={() => set(run.tags.filter((other) => other !== tag))}
            className="grid size-4 place-items-center rounded-full text-ink-faint hover:bg-line hover:text-ink max-md:size-6"
          >
            <X aria-hidden className="size-3" />
          </button>
        </Badge>
      ))}
      {run.tags.length < most && <AddTag run={run} onAdd={(tag) => set([...run.tags, tag])} />}
    </span>
  );
}

function AddTag({ run, onAdd }: { run: Run; onAdd: (tag: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Add a tag"
      open={open}
      onOpenChange={setOpen}
      className="w-56 p-2"
      trigger={
        <Button
          size="sm"
          variant="quiet"
          aria-label="Add a tag"
          icon={<Plus aria-hidden className="size-3.5" />}
          className="h-5! px-1.5!"
        >
          Tag
        </Button>
      }
    >
      <TagField
        taken={run.tags}
        onAdd={(tag) => {
          setOpen(false);
          onAdd(tag);
        }}
      />
    </Popover>
  );
}

function TagField({ taken, onAdd }: { taken: readonly string[]; onAdd: (tag: string) => void }) {
  const limits = useLimits();
  const { data } = useQuery(tagsQuery);
  const known = (data?.tags ?? []).map(({ name }) => name).filter((tag) => !taken.includes(tag));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const tag = String(new FormData(event.currentTarget).get("tag")).trim();
        if (tag !== "" && !taken.includes(tag)) onAdd(tag);
      }}
    >
      <input
        name="tag"
        aria-label="Tag"
        placeholder="Tag, then Enter"
        maxLength={limits?.tag.maximum}
        list="known-tags"
        autoComplete="off"
        autoFocus
        className={controlClass}
      />
      <datalist id="known-tags">
        {known.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </form>
  );
}

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

/** Changes name, tags or notes: shown at once, and undone if the service refuses. */
function useLabels(id: string) {
  const client = useQueryClient();
  return useMutation<RunDetail, Error, PatchRun, RunDetail | undefined>({
    mutationFn: (labels) => patchRun(id, labels),
    onMutate: (labels) => {
      const before = client.getQueryData<RunDetail>(keys.run(id));
      client.setQueryData<RunDetail>(keys.run(id), (old) => old && { ...old, ...labels });
      return before;
    },
    onError: (error, _, before) => {
      client.setQueryData(keys.run(id), before);
      toast({ title: explainAction(error), tone: "bad" });
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.runs });
      void client.invalidateQueries({ queryKey: keys.tags });
    },
  });
}
