import { useMutation, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import { Trash2, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { deleteOwnPreset, measuringSpecification } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { Preset } from "@/api/types";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/dialog";
import { HoverLink } from "@/ui/hover-link";
import { environmentOf, type FieldsProps, presetsOf } from "./draft";
import { expectation, promise } from "./expectation";
import { POINTERS } from "./submit";

/** A choice among presets, one line each, and details of the chosen one. */
export function PresetField({ choices, draft, edit, problems }: FieldsProps) {
  const name = useId();
  const [leaving, setLeaving] = useState<Preset | null>(null);
  const problem = problems[POINTERS.preset];
  const threshold = environmentOf(choices, draft)?.reward_threshold ?? null;
  const presets = presetsOf(choices, draft);
  const chosen = presets.find(({ id }) => id === draft.preset);
  const choose = (value: string) => edit({ field: "preset", value });
  /** A replacement, if the chosen preset no longer exists. */
  const replace = (gone: Preset) => {
    const other = presets.find(({ id }) => id !== gone.id);
    if (gone.id === draft.preset && other) choose(other.id);
  };
  return (
    <fieldset>
      <legend className="sr-only">Preset</legend>
      <div className="divide-y divide-line rounded-md border border-line-strong bg-raised">
        {presets.map((preset) => (
          <PresetLine
            key={preset.id}
            {...{ name, preset, threshold }}
            checked={preset === chosen}
            onChoose={() => choose(preset.id)}
            onDelete={() => setLeaving(preset)}
          />
        ))}
      </div>
      {problem && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
      {chosen && <PresetFacts preset={chosen} threshold={threshold} />}
      {leaving && (
        <DeletePreset
          preset={leaving}
          onDeleted={() => replace(leaving)}
          onClose={() => setLeaving(null)}
        />
      )}
    </fieldset>
  );
}

interface PresetLineProps {
  /** Of the group of radio buttons. */
  name: string;
  preset: Preset;
  threshold: number | null;
  checked: boolean;
  onChoose: () => void;
  onDelete: () => void;
}

/** A preset to choose: title, time, and how often it solved the task. The user's own presets can be deleted. */
function PresetLine({ name, preset, threshold, checked, onChoose, onDelete }: PresetLineProps) {
  const { time, verdict, works, length } = promise(preset, threshold);
  const described = `${name}-${preset.id}`;
  return (
    <div
      className={clsx(
        "flex items-center first:rounded-t-md last:rounded-b-md",
        checked ? "bg-accent-tint" : "hover:bg-sunken",
      )}
    >
      <label className="grid min-h-9 min-w-0 grow grid-cols-[auto_6.5rem_4.5rem_minmax(0,1fr)_auto] items-center gap-x-3 rounded-md px-3 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:min-h-11 max-sm:grid-cols-[auto_5.5rem_3.5rem_minmax(0,1fr)] max-sm:gap-x-2">
        <input
          type="radio"
          name={name}
          value={preset.id}
          checked={checked}
          onChange={onChoose}
          aria-label={preset.title}
          aria-describedby={described}
          className="size-3.5 accent-accent outline-none"
        />
        <span className="truncate font-medium" title={preset.title}>
          {preset.title}
        </span>
        <span id={described} className="contents tabular-nums">
          <span className="text-ink-soft">{time ?? "–"}</span>
          <span
            className={clsx(
              "flex min-w-0 items-center gap-2",
              works === null ? "text-ink-faint" : works ? "text-ink-soft" : "text-warn",
            )}
          >
            {works === false && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
            <span className="truncate">{verdict}</span>
            {preset.recommended && preset.measured && (
              <span className="text-2xs font-medium text-accent max-sm:sr-only">Recommended</span>
            )}
          </span>
          <span className="text-xs text-ink-faint max-sm:sr-only">{length}</span>
        </span>
      </label>
      {preset.is_own && (
        <Button
          size="sm"
          variant="quiet"
          needsService
          className="mr-1 shrink-0"
          aria-label={`Delete the preset ${preset.title}`}
          title="Delete this preset"
          icon={<Trash2 aria-hidden className="size-3.5" />}
          onClick={onDelete}
        />
      )}
    </div>
  );
}

/** What the chosen preset does, its trade-off, and its measurements. */
function PresetFacts({ preset, threshold }: { preset: Preset; threshold: number | null }) {
  const { reached, facts } = expectation(preset, threshold);
  const shown = reached === null ? facts : [["Return", reached] as const, ...facts];
  return (
    <div className="mt-2 flex flex-col gap-1.5 text-xs text-ink-soft">
      <p>
        {preset.summary} <span className="font-medium text-ink">Trade-off:</span> {preset.tradeoff}
      </p>
      <div className="flex flex-wrap gap-x-4 gap-y-0.5 text-2xs tabular-nums">
        <dl className="contents">
          {shown.map(([fact, value]) => (
            <div key={fact} className="flex gap-1.5">
              <dt className="text-ink-faint">{fact}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <MeasuredBy preset={preset} />
      </div>
    </div>
  );
}

const link = "w-fit rounded-sm text-accent hover:underline";

/** Opens the experiment that measured these figures. */
function MeasuredBy({ preset: { experiment_id, measured } }: { preset: Preset }) {
  if (experiment_id) {
    return (
      <HoverLink className={link} href={routes.experiment(experiment_id)}>
        The experiment that measured it
      </HoverLink>
    );
  }
  return measured?.specification ? (
    <a
      className={link}
      href={measuringSpecification(measured.specification)}
      target="_blank"
      rel="noreferrer"
    >
      How it was measured
    </a>
  ) : null;
}

interface DeletePresetProps {
  preset: Preset;
  onDeleted: () => void;
  onClose: () => void;
}

/** Deletes a preset of the user after a confirmation. */
function DeletePreset({ preset, onDeleted, onClose }: DeletePresetProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteOwnPreset(preset.id),
    onSuccess: () => {
      onDeleted();
      onClose();
      void client.invalidateQueries({ queryKey: keys.environments });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete the preset “${preset.title}”?`}
      action="Delete"
      busy={remove.isPending}
      failure={remove.error && explainAction(remove.error)}
      failureTitle="It was not deleted"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        Its file and its measurements are deleted for good. Runs that used it keep their values.
      </p>
    </ConfirmDialog>
  );
}
