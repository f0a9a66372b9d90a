"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useLimits } from "@/api/choices";
import { ApiError, explainAction } from "@/api/http";
import { useRunActions } from "@/api/run-actions";
import type { PatchRun, Run } from "@/api/types";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Notice } from "@/ui/notice";
import { controlClass } from "@/ui/select";
import { TagField } from "./tag-field";

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
