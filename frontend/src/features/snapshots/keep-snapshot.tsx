"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { keepSnapshot } from "@/api/snapshots";
import type { SnapshotInfo } from "@/api/types";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { called } from "./snapshot-text";

interface KeepSnapshotProps {
  run: string;
  snapshot: SnapshotInfo;
  onClose: () => void;
}

/** Gives a snapshot a name, by which it is kept, and a message. */
export function KeepSnapshot({ run, snapshot, onClose }: KeepSnapshotProps) {
  const client = useQueryClient();
  const [name, setName] = useState(snapshot.is_named ? snapshot.name : "");
  const [message, setMessage] = useState(snapshot.message);
  const keep = useMutation({
    mutationFn: () => keepSnapshot(run, snapshot.name, { name: name.trim(), message }),
    onSuccess: (found) => {
      client.setQueryData(keys.snapshots(run), found);
      onClose();
    },
  });
  const text = (value: string, onType: (typed: string) => void) =>
    function Control(control: object) {
      return (
        <input
          {...control}
          autoComplete="off"
          className={controlClass}
          value={value}
          onChange={({ target }) => {
            keep.reset();
            onType(target.value);
          }}
        />
      );
    };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={`Keep ${called(snapshot)}`}
      description="A snapshot with a name is kept until you delete it."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") keep.mutate();
        }}
      >
        <Field
          label="Name"
          hint="Lower-case letters, digits and hyphens, not digits alone."
          error={keep.error ? explainAction(keep.error) : undefined}
        >
          {text(name, setName)}
        </Field>
        <Field label="Message">{text(message, setMessage)}</Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            needsService
            busy={keep.isPending}
            unavailable={name.trim() === "" && "Give it a name first."}
          >
            Keep it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
