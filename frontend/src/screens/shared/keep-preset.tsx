"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keepAsPreset } from "@/api/experiments";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { controlClass } from "@/ui/select";

interface KeepPresetProps {
  experiment: string;
  /** Id of the variant. */
  variant: string;
  /** Its name within a sentence. */
  what: string;
  /** What the preset is called unless another title is typed. */
  usual: string;
  onClose: () => void;
}

/** Gives a variant of an experiment a name, under which the form of a new run offers its values. */
export function KeepPreset({ experiment, variant, what, usual, onClose }: KeepPresetProps) {
  const client = useQueryClient();
  const [title, setTitle] = useState(usual);
  const keep = useMutation({
    mutationFn: () => keepAsPreset(experiment, variant, title.trim()),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.environments }),
  });
  const problem =
    keep.error instanceof ApiError
      ? keep.error.fields.find(({ pointer }) => pointer === "/title")?.detail
      : undefined;
  const kept = keep.data;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Keep ${what} as a preset`}
      size="sm"
      footer={
        <>
          <Button onClick={onClose}>{kept ? "Close" : "Cancel"}</Button>
          {!kept && (
            <Button
              variant="primary"
              needsService
              busy={keep.isPending}
              unavailable={title.trim() === "" && "Enter a title first."}
              onClick={() => keep.mutate()}
            >
              Keep
            </Button>
          )}
        </>
      }
    >
      {kept ? (
        <p role="status" className="text-sm text-ink-soft">
          “{kept.title}” is kept. It is offered with {kept.environment} in{" "}
          <HoverLink
            className="font-medium text-accent hover:underline"
            href={routes.newRunOn(kept.environment)}
          >
            the form of a new run
          </HoverLink>
          .
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          <Field
            label="Title"
            hint="Saved in your runs folder with these measurements."
            error={problem}
          >
            {(control) => (
              <input
                {...control}
                className={controlClass}
                value={title}
                onChange={(event) => {
                  keep.reset(); // what was refused is another title
                  setTitle(event.currentTarget.value);
                }}
              />
            )}
          </Field>
          {keep.error && !problem && (
            <Notice tone="bad" role="alert" title="The preset was not saved">
              <p>{explainAction(keep.error)}</p>
            </Notice>
          )}
        </div>
      )}
    </Dialog>
  );
}
