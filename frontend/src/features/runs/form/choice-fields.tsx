import { Field } from "@/components/ui/field";
import { RadioCards } from "@/components/ui/radio-cards";
import { compact } from "@/lib/format";
import { type Choices, type Draft, type DraftChange, presetsOf } from "./draft";
import { EnvironmentSelect } from "./environment-select";
import type { Problems } from "./submit";

export interface FieldsProps {
  choices: Choices;
  draft: Draft;
  change: (change: DraftChange) => void;
  problems: Problems;
}

/** What to train, where, and by which recipe. */
export function ChoiceFields({ choices, draft, change, problems }: FieldsProps) {
  const environment = choices.environments.find(({ id }) => id === draft.env);
  return (
    <>
      <RadioCards
        legend="Algorithm"
        columns
        value={draft.algo}
        onChange={(value) => change({ field: "algo", value })}
        error={problems["/algo"]}
        options={choices.algorithms.map(({ id, name, title }) => ({
          value: id,
          title: name,
          summary: title,
        }))}
      />
      <Field label="Environment" hint={environment?.summary} error={problems["/env_id"]}>
        {(control) => (
          <EnvironmentSelect control={control} choices={choices} draft={draft} change={change} />
        )}
      </Field>
      <RadioCards
        legend="Preset"
        value={draft.preset}
        onChange={(value) => change({ field: "preset", value })}
        error={problems["/preset"]}
        options={presetsOf(choices, draft).map((preset) => ({
          value: preset.id,
          title: preset.title,
          summary: preset.summary,
          aside: `${compact(preset.total_timesteps)} steps`,
        }))}
      />
    </>
  );
}
