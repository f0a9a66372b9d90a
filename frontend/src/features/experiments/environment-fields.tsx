import { SchemaField } from "@/components/schema-field";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import type { Environment } from "@/lib/api";
import type { ExperimentDraft } from "./draft";
import { POINTERS, problemAt, type Problems } from "./problems";

interface EnvironmentFieldsProps {
  draft: Pick<ExperimentDraft, "env" | "options">;
  environments: readonly Environment[];
  problems: Problems;
  onChange: (where: Pick<ExperimentDraft, "env" | "options">) => void;
}

/** Where all of them are trained: an environment, and its options. */
export function EnvironmentFields({
  draft: { env, options },
  environments,
  problems,
  onChange,
}: EnvironmentFieldsProps) {
  const fields = environments.find(({ id }) => id === env)?.options ?? [];
  const change = (name: string, text: string | null) => {
    const others = Object.entries(options).filter(([other]) => other !== name);
    onChange({
      env,
      options: Object.fromEntries(text === null ? others : [...others, [name, text]]),
    });
  };
  return (
    <>
      <Field label="Environment">
        {(control) => (
          <Select
            {...control}
            value={env}
            onChange={({ currentTarget: { value } }) => onChange({ env: value, options: {} })}
          >
            {environments.map(({ id, name, available }) => (
              <option key={id} value={id} disabled={!available}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {fields.length > 0 && (
        <div className="grid gap-x-4 gap-y-3 pl-2.5 sm:grid-cols-2">
          {fields.map((schema) => (
            <SchemaField
              key={schema.name}
              schema={schema}
              typed={options[schema.name]}
              own={schema.default}
              owner="default"
              error={problemAt(problems, POINTERS.option(schema.name))}
              onChange={(text) => change(schema.name, text)}
            />
          ))}
        </div>
      )}
    </>
  );
}
