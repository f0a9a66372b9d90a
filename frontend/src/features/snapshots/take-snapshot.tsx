"use client";

import { Camera } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";
import { useTakeSnapshot } from "./use-snapshot-actions";

interface TakeSnapshotProps {
  run: string;
  /** One was asked for, and is not there yet. */
  busy: boolean;
  onAsked: () => void;
}

/** Takes a snapshot of a run that trains, with a name and a message if it shall be kept. */
export function TakeSnapshot({ run, busy, onAsked }: TakeSnapshotProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Take a snapshot"
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          size="sm"
          needsService
          busy={busy}
          icon={<Camera aria-hidden className="size-3.5" />}
        >
          Take a snapshot…
        </Button>
      }
    >
      <Form
        run={run}
        onDone={() => {
          setOpen(false);
          onAsked();
        }}
      />
    </Popover>
  );
}

function Form({ run, onDone }: { run: string; onDone: () => void }) {
  const limits = useLimits();
  const [name, setName] = useState("");
  const [message, setMessage] = useState("");
  const { mutate, isPending, error } = useTakeSnapshot(run);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ name: name.trim() || null, message: message.trim() }, { onSuccess: onDone });
      }}
    >
      <Field
        label="Name"
        hint="Lower-case letters, digits and hyphens. One with a name is kept until you delete it."
        error={error ? explainAction(error) : undefined}
      >
        {(control) => (
          <input
            {...control}
            value={name}
            maxLength={limits?.snapshot_name.maximum}
            placeholder="its step"
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
            className={controlClass}
          />
        )}
      </Field>
      <Field label="Message">
        {(control) => (
          <input
            {...control}
            value={message}
            maxLength={limits?.notes.maximum}
            placeholder="what it is for"
            autoComplete="off"
            onChange={(event) => setMessage(event.target.value)}
            className={controlClass}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" needsService busy={isPending}>
        Take it
      </Button>
    </form>
  );
}
