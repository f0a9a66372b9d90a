import { pointerTo } from "@/api/http";
import { SchemaField } from "@/forms/schema-field";
import { type Part, schemasOf, untouched } from "./draft";
import type { FieldsProps } from "./form-state";

interface SchemaFieldsProps extends FieldsProps {
  part: Part;
  /** Shows only fields of this group; all fields without it. */
  group?: string;
  owner: string;
}

/** The fields of one part of the configuration, made from the service's schemas. */
export function SchemaFields(props: SchemaFieldsProps) {
  const { choices, draft, edit, problems, part, group, owner } = props;
  const schemas = schemasOf(choices, draft, part).filter(
    (schema) => group === undefined || groupOf(schema) === group,
  );
  return (
    <div className="grid gap-x-6 gap-y-3.5 sm:grid-cols-2">
      {schemas.map((schema) => (
        <SchemaField
          key={schema.name}
          schema={schema}
          typed={draft[part][schema.name]}
          own={untouched(choices, draft, part, schema)}
          owner={owner}
          error={problems[pointerTo(part, schema.name)]}
          onChange={(value) => edit({ field: part, name: schema.name, value })}
        />
      ))}
    </div>
  );
}

export function groupOf({ group }: { group?: string }): string {
  return group ?? "";
}
