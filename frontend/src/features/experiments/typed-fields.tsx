import { X } from "lucide-react";
import type { Hyperparameter } from "@/api/types";
import { setting } from "@/lib/number";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { separatorOf, type TypedField } from "./typed-values";

interface TypedFieldsProps {
  legend: string;
  /** What can be chosen, by name. */
  fields: ReadonlyMap<string, Hyperparameter>;
  typed: readonly TypedField[];
  /** Whether several values are typed for each. */
  several: boolean;
  problemOf: (name: string) => string | undefined;
  onChange: (typed: readonly TypedField[]) => void;
}

/** Hyperparameters, each with what is typed for it, and a list to add another one. */
export function TypedFields(props: TypedFieldsProps) {
  const { legend, fields, typed, several, problemOf, onChange } = props;
  const left = [...fields.values()].filter(({ name }) => typed.every((one) => one.name !== name));
  const set = (name: string, text: string) =>
    onChange(typed.map((one) => (one.name === name ? { name, text } : one)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-ink-soft">{legend}</legend>
      {typed.map(({ name, text }) => {
        const schema = fields.get(name);
        return (
          <div key={name} className="flex items-start gap-2">
            <Field
              mono
              label={name}
              className="grow"
              hint={schema && several ? `With “${separatorOf(schema)}” between values.` : undefined}
              error={problemOf(name)}
            >
              {(control) => (
                <input
                  {...control}
                  className={controlClass}
                  autoComplete="off"
                  spellCheck={false}
                  value={text}
                  onChange={(event) => set(name, event.currentTarget.value)}
                />
              )}
            </Field>
            <Button
              variant="quiet"
              className="mt-5"
              aria-label={`Leave out ${name}`}
              icon={<X aria-hidden className="size-4" />}
              onClick={() => onChange(typed.filter((one) => one.name !== name))}
            />
          </div>
        );
      })}
      {left.length > 0 && (
        <Select
          className="self-start"
          aria-label={`${legend}: add a hyperparameter`}
          aria-required={several && typed.length === 0 ? true : undefined}
          value=""
          onChange={({ currentTarget: { value } }) => {
            const schema = fields.get(value);
            if (schema) onChange([...typed, { name: value, text: setting(schema.default) }]);
          }}
        >
          <option value="">Add a hyperparameter…</option>
          {left.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </fieldset>
  );
}
