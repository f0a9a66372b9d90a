/** Form fields made from the service's schemas, for the forms of a new run, a fork and an experiment. */

import clsx from "clsx";
import type { Hyperparameter } from "@/api/types";
import { setting } from "@/lib/number";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { describeBounds } from "./parse";
import { CHANGED, ResetMark } from "./reset-mark";

interface SchemaFieldProps {
  schema: Hyperparameter;
  /** Text as typed; undefined if the field was not edited. */
  typed: string | undefined;
  /** The value of the field when it is not edited. */
  own: unknown;
  /** Source of that value: "preset" or "default". */
  owner: string;
  error: string | undefined;
  /** Called with the new text, or `null` to undo the edit. */
  onChange: (value: string | null) => void;
}

/** A form field made from a schema: type, bounds and help, and a mark if it was edited. */
export function SchemaField({ schema, typed, own, owner, error, onChange }: SchemaFieldProps) {
  const value = typed ?? setting(own);
  const changed = value !== setting(own);
  return (
    <Field
      mono
      label={schema.name}
      hint={help(schema)}
      error={error}
      className={changed ? CHANGED : undefined}
      aside={
        changed && (
          <ResetMark
            name={schema.name}
            usual={setting(own)}
            owner={owner}
            onReset={() => onChange(null)}
          />
        )
      }
    >
      {(control) =>
        choicesOf(schema) ? (
          <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
            {choicesOf(schema)?.map((choice) => (
              <option key={choice}>{choice}</option>
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
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}

function choicesOf({ type, choices, nullable }: Hyperparameter): string[] | null {
  const offered = type === "boolean" ? ["true", "false"] : choices;
  return offered && nullable ? ["none", ...offered] : offered;
}

/** A field without a value shows "none"; in the API that is null. */
function help(schema: Hyperparameter): string {
  const bounds = describeBounds(schema);
  const says = schema.help.replace(/\bnull:/, "none:");
  if (bounds === "") return says;
  return `${says} ${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
}
