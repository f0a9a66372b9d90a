"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { importRuns } from "@/api/run-files";
import type { ImportedRuns } from "@/api/types";
import { bytes } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { controlClass } from "@/ui/select";

interface ImportDialogProps {
  onClose: () => void;
}

/** Imports runs from one file: a bundle of this app, or logs of another tool. */
export function ImportDialog({ onClose }: ImportDialogProps) {
  const client = useQueryClient();
  const limits = useLimits();
  const most = limits?.import_bytes.maximum;
  const [file, setFile] = useState<File | null>(null);
  const [algo, setAlgo] = useState("");
  const [environment, setEnvironment] = useState("");
  const bring = useMutation({
    mutationFn: ({ chosen, again }: { chosen: File; again?: boolean }) =>
      importRuns(chosen, {
        again,
        algo: algo.trim() || undefined,
        env_id: environment.trim() || undefined,
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.runs }),
  });
  const longest = limits?.run_name.maximum;
  const tooLarge = file !== null && most !== undefined && file.size > most;
  const choose = (chosen: File | null) => {
    setFile(chosen);
    bring.reset();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Import runs"
      description="A bundle of this app, a TensorBoard event file, monitor.csv, progress.csv or progress.json of Stable-Baselines3, or a zip archive of a folder with such logs."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (file) bring.mutate({ chosen: file });
        }}
      >
        <Field
          label="File"
          hint="Nothing in it is executed. Policies of a bundle are left out."
          error={
            tooLarge
              ? `It has ${bytes(file.size)}, the limit is ${bytes(most)}. Use rlviz import.`
              : undefined
          }
        >
          {(control) => (
            <input
              {...control}
              type="file"
              onChange={({ target }) => choose(target.files?.[0] ?? null)}
              className="w-full min-w-0 text-sm file:mr-3 file:h-8 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-control-line file:bg-raised file:px-3 file:text-sm max-md:file:h-10"
            />
          )}
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <NameField label="Algorithm" value={algo} maxLength={longest} onChange={setAlgo} />
          <NameField
            label="Environment"
            value={environment}
            maxLength={longest}
            onChange={setEnvironment}
          />
        </div>
        {bring.error && (
          <Notice tone="bad" role="alert" title="Nothing was imported">
            <p className="break-words">{explainAction(bring.error)}</p>
          </Notice>
        )}
        {bring.data && bring.data.runs.length + bring.data.refused.length > 0 && (
          <Result imported={bring.data} />
        )}
        {bring.data && bring.data.known.length > 0 && <Known known={bring.data.known} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button type="button" onClick={onClose}>
            {bring.data ? "Done" : "Cancel"}
          </Button>
          {file && isKnown(bring.data) ? (
            <Button
              needsService
              busy={bring.isPending}
              onClick={() => bring.mutate({ chosen: file, again: true })}
            >
              Import anyway
            </Button>
          ) : (
            <Button
              type="submit"
              variant="primary"
              needsService
              busy={bring.isPending}
              disabled={!file || tooLarge || bring.isSuccess}
            >
              Import
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

interface NameFieldProps {
  label: string;
  value: string;
  maxLength: number | undefined;
  onChange: (value: string) => void;
}

function NameField({ label, value, maxLength, onChange }: NameFieldProps) {
  return (
    <Field label={label} hint="Overrides the logs">
      {(control) => (
        <input
          {...control}
          value={value}
          maxLength={maxLength}
          onChange={({ target }) => onChange(target.value)}
          className={controlClass}
        />
      )}
    </Field>
  );
}

/** Whether all of the uploaded logs were imported before. */
function isKnown(imported: ImportedRuns | undefined): boolean {
  return imported !== undefined && imported.runs.length === 0 && imported.known.length > 0;
}

function Known({ known }: Pick<ImportedRuns, "known">) {
  return (
    <Notice
      tone="info"
      role="status"
      title={known.length === 1 ? "Imported before" : `${known.length} runs were imported before`}
    >
      <ul className="max-h-40 overflow-y-auto text-sm">
        {known.map(({ place, run }) => (
          <li key={place} className="break-words">
            {place} has the curves of{" "}
            <HoverLink href={routes.run(run.id)} className="underline">
              {run.name}
            </HoverLink>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Result({ imported: { runs, warnings, refused } }: { imported: ImportedRuns }) {
  return (
    <Notice
      tone={refused.length + warnings.length > 0 ? "warn" : "good"}
      role="status"
      title={runs.length === 1 ? "One run was imported" : `${runs.length} runs were imported`}
    >
      <ul className="max-h-40 overflow-y-auto text-sm">
        {runs.map(({ id, name }) => (
          <li key={id} className="break-words">
            <HoverLink href={routes.run(id)} className="underline">
              {name}
            </HoverLink>
            {warnings
              .filter(({ run_id }) => run_id === id)
              .map(({ message }) => (
                <p key={message} className="text-ink-soft">
                  {message}
                </p>
              ))}
          </li>
        ))}
        {refused.map(({ place, reason }) => (
          <li key={place} className="break-words text-ink-soft">
            {place}: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
