import { X } from "lucide-react";
import type { Environment } from "@/api/types";
import { SchemaField } from "@/forms/schema-field";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import type { Place } from "./draft";
import { POINTERS, problemAt, type Problems } from "./problems";

interface EnvironmentFieldsProps {
  place: Place;
  /** Which of the places it is, from 0. */
  at: number;
  environments: readonly Environment[];
  problems: Problems;
  onChange: (place: Place) => void;
  /** null: it cannot be removed. */
  onRemove: (() => void) | null;
}

/** An environment where all of them are trained, and its options. */
export function EnvironmentFields(props: EnvironmentFieldsProps) {
  const { place, at, environments, problems, onChange, onRemove } = props;
  const { env, options } = place;
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
      <div className="flex items-end gap-2">
        <Field
          label={at === 0 ? "Environment" : `Environment ${at + 1}`}
          className="grow"
          error={problems.get(POINTERS.place(at))}
        >
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
        {onRemove && (
          <Button
            variant="quiet"
            aria-label={`Remove environment ${at + 1}`}
            icon={<X aria-hidden className="size-4" />}
            onClick={onRemove}
          />
        )}
      </div>
      {fields.length > 0 && (
        <div className="grid gap-x-4 gap-y-3 pl-2.5 sm:grid-cols-2">
          {fields.map((schema) => (
            <SchemaField
              key={schema.name}
              schema={schema}
              typed={options[schema.name]}
              own={schema.default}
              owner="default"
              error={problemAt(problems, POINTERS.option(schema.name, at))}
              onChange={(text) => change(schema.name, text)}
            />
          ))}
        </div>
      )}
    </>
  );
}
