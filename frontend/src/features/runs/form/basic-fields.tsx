import { Field, controlClass } from "@/components/ui/field";
import { RadioCards } from "@/components/ui/radio-cards";
import { Select } from "@/components/ui/select";
import { compact, count } from "@/lib/format";
import { type Choices, type Draft, type DraftChange, presetsOf, timestepsOf } from "./draft";
import type { Problems } from "./submit";

export interface FieldsProps {
  choices: Choices;
  draft: Draft;
  change: (change: DraftChange) => void;
  problems: Problems;
}

export function BasicFields({ choices, draft, change, problems }: FieldsProps) {
  const algorithm = choices.algorithms.find(({ id }) => id === draft.algo);
  const environment = choices.environments.find(({ id }) => id === draft.env);
  const bounds = algorithm?.total_timesteps;
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
          <Select
            {...control}
            value={draft.env}
            onChange={(event) => change({ field: "env", value: event.target.value })}
          >
            {choices.environments
              .filter(({ algorithms }) => algorithms.includes(draft.algo))
              .map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
          </Select>
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
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Timesteps"
          hint={bounds && `${compact(bounds.minimum)} to ${compact(bounds.maximum)}`}
          error={problems["/total_timesteps"]}
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              className={controlClass}
              value={timestepsOf(choices, draft)}
              title={count(Number(timestepsOf(choices, draft)))}
              onChange={(event) => change({ field: "timesteps", value: event.target.value })}
            />
          )}
        </Field>
        <Field label="Seed" hint="Blank draws one" error={problems["/seed"]}>
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              placeholder="random"
              className={controlClass}
              value={draft.seed}
              onChange={(event) => change({ field: "seed", value: event.target.value })}
            />
          )}
        </Field>
      </div>
    </>
  );
}
