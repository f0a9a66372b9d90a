import clsx from "clsx";
import { RotateCcw } from "lucide-react";
import { controlClass, Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import type { Hyperparameter } from "@/lib/api";
import { setting } from "@/lib/format";
import { describeBounds } from "./parse";

interface SchemaFieldProps {
  schema: Hyperparameter;
  /** As typed; undefined shows the field's own value. */
  typed: string | undefined;
  /** The value it has while nobody touches it. */
  own: unknown;
  /** Whose value that is: "preset", "default". */
  owner: string;
  error: string | undefined;
  /** `null` gives it its own value back. */
  onChange: (value: string | null) => void;
}

/** A field as the service describes it: its type, bounds, help, and whether it was given another value. */
export function SchemaField({ schema, typed, own, owner, error, onChange }: SchemaFieldProps) {
  const value = typed ?? setting(own);
  const changed = value !== setting(own);
  return (
    <Field
      mono
      label={schema.name}
      hint={help(schema)}
      error={error}
      className={clsx(
        changed &&
          "relative before:absolute before:inset-y-0 before:-left-2.5 before:w-0.5 before:rounded-full before:bg-warn",
      )}
      aside={
        changed && (
          <button
            type="button"
            aria-label={`Reset ${schema.name} to ${setting(own)}`}
            onClick={() => onChange(null)}
            className="flex min-w-0 items-center gap-1 rounded-sm text-2xs text-warn hover:underline"
          >
            <span className="truncate">
              {owner}: <span className="font-mono">{setting(own)}</span>
            </span>
            <RotateCcw aria-hidden className="size-3 shrink-0" />
          </button>
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

function help(schema: Hyperparameter): string {
  const bounds = describeBounds(schema);
  if (bounds === "") return schema.help;
  return `${schema.help} ${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
}
