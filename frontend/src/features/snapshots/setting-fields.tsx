import { pointerTo } from "@/api/http";
import { SchemaField } from "@/forms/schema-field";
import type { ChangeableSetting, ForkDraft, Part } from "./fork-request";

interface SettingFieldsProps {
  legend: string;
  note?: string;
  part: Part;
  settings: readonly ChangeableSetting[];
  draft: ForkDraft;
  problem: (pointer: string) => string | undefined;
  /** `null` undoes the edit. */
  onChange: (part: Part, name: string, value: string | null) => void;
}

/** The fields of one part of the parent's configuration that can change at a fork. Renders nothing without any. */
export function SettingFields({ legend, note, part, ...form }: SettingFieldsProps) {
  const own = form.settings.filter((one) => one.part === part);
  if (own.length === 0) return null;
  return (
    <fieldset className="min-w-0 border-t border-line pt-3.5">
      <legend className="float-left mb-3 w-full text-sm font-medium">
        {legend}
        {note && <span className="mt-0.5 block text-xs font-normal text-ink-soft">{note}</span>}
      </legend>
      <div className="clear-both grid gap-x-6 gap-y-3.5 sm:grid-cols-2">
        {own.map(({ schema, value }) => (
          <SchemaField
            key={schema.name}
            schema={schema}
            typed={form.draft[part][schema.name]}
            own={value}
            owner="parent"
            error={form.problem(pointerTo(part, schema.name))}
            onChange={(typed) => form.onChange(part, schema.name, typed)}
          />
        ))}
      </div>
    </fieldset>
  );
}
