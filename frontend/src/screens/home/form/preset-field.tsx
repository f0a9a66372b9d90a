import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import Link from "next/link";
import { useId, useState } from "react";
import { deleteOwnPreset, measuringSpecification } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { Preset } from "@/api/types";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/dialog";
import { ChoiceCard } from "./choice-fields";
import { environmentOf, type FieldsProps, presetsOf } from "./draft";
import { expectation } from "./expectation";
import { POINTERS } from "./submit";

/** A choice among presets, each with its trade-off and its measured results. */
export function PresetField({ choices, draft, edit, problems }: FieldsProps) {
  const name = useId();
  const [leaving, setLeaving] = useState<Preset | null>(null);
  const problem = problems[POINTERS.preset];
  const threshold = environmentOf(choices, draft)?.reward_threshold ?? null;
  const presets = presetsOf(choices, draft);
  const choose = (value: string) => edit({ field: "preset", value });
  /** Another one, where the chosen one is no longer there. */
  const replace = (gone: Preset) => {
    const other = presets.find(({ id }) => id !== gone.id);
    if (gone.id === draft.preset && other) choose(other.id);
  };
  return (
    <fieldset>
      <legend className="sr-only">Preset</legend>
      <div className="grid gap-1.5 sm:grid-cols-3">
        {presets.map((preset) => (
          <PresetCard
            key={preset.id}
            {...{ name, preset, threshold }}
            checked={preset.id === draft.preset}
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

interface PresetCardProps {
  /** Of the group of radio buttons. */
  name: string;
  preset: Preset;
  threshold: number | null;
  checked: boolean;
  onChoose: () => void;
  onDelete: () => void;
}

/** A preset to choose, with its trade-off and what was measured; one of the user's own can be deleted. */
function PresetCard(props: PresetCardProps) {
  const { name, preset, threshold, checked, onChoose, onDelete } = props;
  return (
    <div className="relative flex min-w-0">
      <ChoiceCard
        name={name}
        value={preset.id}
        label={preset.title}
        checked={checked}
        onChoose={onChoose}
        className="grow py-2.5"
      >
        <PresetFacts preset={preset} threshold={threshold} />
      </ChoiceCard>
      {preset.is_own && (
        <Button
          size="sm"
          variant="quiet"
          needsService
          className="absolute top-1.5 right-1"
          aria-label={`Delete the preset ${preset.title}`}
          title="Delete this preset"
          icon={<Trash2 aria-hidden className="size-3.5" />}
          onClick={onDelete}
        />
      )}
    </div>
  );
}

function PresetFacts({ preset, threshold }: { preset: Preset; threshold: number | null }) {
  const { reached, facts } = expectation(preset, threshold);
  return (
    <>
      {preset.recommended && preset.measured && (
        <span className="text-2xs font-medium text-accent">Recommended by its figures</span>
      )}
      <span className="mt-1 text-xs text-ink-soft">{preset.summary}</span>
      <span className="mt-1 text-xs text-ink-soft">
        <span className="font-medium text-ink">Trade-off:</span> {preset.tradeoff}
      </span>
      <span className="mt-auto pt-2 text-xs text-ink-soft tabular-nums">
        {reached === null ? (
          <span className="text-ink-faint">Not measured yet</span>
        ) : (
          <>
            Reaches <span className="text-base font-semibold text-ink">{reached}</span>
          </>
        )}
      </span>
      <span className="mt-0.5 grid gap-x-2 text-2xs tabular-nums max-sm:grid-cols-[auto_minmax(0,1fr)]">
        {facts.map(([fact, value]) => (
          <span key={fact} className="flex justify-between gap-x-2 max-sm:contents">
            <span className="text-ink-faint">{fact} </span>
            <span className="text-right text-ink-soft max-sm:text-left">{value} </span>
          </span>
        ))}
      </span>
      <MeasuredBy preset={preset} />
    </>
  );
}

const link = "mt-1 w-fit rounded-sm text-2xs text-accent hover:underline";

/** Leads to the experiment whose figures these are. */
function MeasuredBy({ preset: { experiment_id, measured } }: { preset: Preset }) {
  if (experiment_id) {
    return (
      <Link className={link} href={routes.experiment(experiment_id)}>
        The experiment that measured it
      </Link>
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

/** Deletes a preset of the user's own once that is confirmed. */
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
        Its file goes for good, with what was measured. Runs that were made with it keep their
        values.
      </p>
    </ConfirmDialog>
  );
}
