import { useId, useState } from "react";
import type { Preset } from "@/api/types";
import { DeletePreset } from "./delete-preset";
import { environmentOf, presetsOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { PresetCard } from "./preset-card";
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
