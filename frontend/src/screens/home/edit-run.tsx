"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { useLimits } from "@/api/choices";
import { ApiError, explainAction } from "@/api/http";
import { useRunActions } from "@/api/run-actions";
import { tagsQuery } from "@/api/runs";
import type { PatchRun, Run } from "@/api/types";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Notice } from "@/ui/notice";
import { controlClass } from "@/ui/select";

interface EditRunProps {
  run: Run;
  onClose: () => void;
}

/** A form for a run's name, tags and notes, the only parts of a run that can change. */
export function EditRun({ run, onClose }: EditRunProps) {
  const form = useId();
  const { relabel } = useRunActions();
  const limits = useLimits();
  const [{ name, tags, notes }, setDraft] = useState(run);
  const save = useMutation({
    mutationFn: (labels: PatchRun) => relabel(run.id, labels),
    onSuccess: onClose,
  });
  const edit = (change: Partial<Run>) => setDraft((old) => ({ ...old, ...change }));
  const refused = (pointer: string) =>
    save.error instanceof ApiError
      ? save.error.fields.find((field) => field.pointer.startsWith(pointer))
      : undefined;
  const problem = (pointer: string) => refused(pointer)?.detail;
  const tagProblem = refused("/tags");
  const refusedTag = save.variables?.tags?.[Number(tagProblem?.pointer.split("/")[2])];
  const blank = name.trim() === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!blank && !save.isPending) save.mutate({ name: name.trim(), tags, notes });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Name, tags and notes"
      description={<span className="font-mono text-xs break-all">{run.id}</span>}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" needsService busy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label="Name" error={blank ? "A run needs a name" : problem("/name")}>
          {(control) => (
            <input
              {...control}
              autoFocus
              autoComplete="off"
              maxLength={limits?.run_name.maximum}
              className={controlClass}
              value={name}
              onChange={(event) => edit({ name: event.target.value })}
            />
          )}
        </Field>
        <TagField
          tags={tags}
          onChange={(next) => edit({ tags: next })}
          error={tagProblem && [refusedTag, tagProblem.detail].filter(Boolean).join(": ")}
        />
        <Field label="Notes" error={problem("/notes")}>
          {(control) => (
            <textarea
              {...control}
              rows={5}
              maxLength={limits?.notes.maximum}
              className={`${controlClass} h-auto! py-2`}
              value={notes}
              onChange={(event) => edit({ notes: event.target.value })}
            />
          )}
        </Field>
        {save.error && (
          <Notice tone="bad" role="alert" title="Nothing was saved">
            <p>{explainAction(save.error)}</p>
          </Notice>
        )}
      </form>
    </Dialog>
  );
}

interface TagFieldProps {
  tags: readonly string[];
  onChange: (tags: string[]) => void;
  error?: string;
}

/** A text field for tags: chosen tags are shown as chips, and tags of other runs are suggested. */
function TagField({ tags, onChange, error }: TagFieldProps) {
  const [typed, setTyped] = useState("");
  const known = useQuery(tagsQuery).data?.tags ?? [];
  const add = (text: string) => {
    onChange(addTags(tags, text));
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter" && typed.trim() !== "") {
      event.preventDefault();
      add(typed);
    } else if (event.key === "Backspace" && typed === "") {
      onChange(tags.slice(0, -1));
    }
  };
  return (
    <Field label="Tags" hint="Enter or a comma adds one." error={error}>
      {(control) => (
        <div className="flex flex-col gap-2">
          {tags.length > 0 && (
            <ul className="flex flex-wrap gap-1.5" aria-label="Tags of this run">
              {tags.map((tag) => (
                <li
                  key={tag}
                  className="flex h-6 max-w-full items-center rounded-sm bg-rest-tint pl-2 text-xs max-md:h-8"
                >
                  <span className="truncate">{tag}</span>
                  <button
                    type="button"
                    aria-label={`Remove tag ${tag}`}
                    onClick={() => onChange(tags.filter((other) => other !== tag))}
                    className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-faint hover:text-ink max-md:size-8"
                  >
                    <X aria-hidden className="size-3" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            list={`${control.id}-known`}
            autoComplete="off"
            className={controlClass}
            value={typed}
            onKeyDown={onKeyDown}
            onBlur={() => add(typed)}
            onChange={({ target }) =>
              target.value.includes(",") ? add(target.value) : setTyped(target.value)
            }
          />
          <datalist id={`${control.id}-known`}>
            {known
              .filter(({ name }) => !tags.includes(name))
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}

/** `tags` with the comma-separated tags in `typed` added, except blank ones and those already there. */
export function addTags(tags: readonly string[], typed: string): string[] {
  const fresh = typed
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  return [...new Set([...tags, ...fresh])];
}
