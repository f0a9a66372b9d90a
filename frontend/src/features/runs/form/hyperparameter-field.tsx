import clsx from "clsx";
import { controlClass, Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import type { Hyperparameter } from "@/lib/api";
import { setting } from "@/lib/format";
import { describeBounds } from "./parse";

interface HyperparameterFieldProps {
  schema: Hyperparameter;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

export function HyperparameterField({ schema, value, error, onChange }: HyperparameterFieldProps) {
  const choices = schema.type === "boolean" ? [true, false] : schema.choices;
  const bounds = describeBounds(schema);
  return (
    <Field
      mono
      label={schema.name}
      hint={bounds === "" ? schema.help : `${schema.help} ${sentence(bounds)}`}
      error={error}
    >
      {(control) =>
        choices ? (
          <Select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
            {choices.map((choice) => (
              <option key={setting(choice)}>{setting(choice)}</option>
            ))}
          </Select>
        ) : (
          <input
            {...control}
            inputMode={schema.type === "integer" ? "numeric" : "text"}
            autoComplete="off"
            spellCheck={false}
            className={clsx(controlClass, "font-mono")}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
