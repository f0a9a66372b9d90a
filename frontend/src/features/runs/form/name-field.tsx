import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { algorithmOf, environmentOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

export function NameField({ choices, draft, edit, problems }: FieldsProps) {
  const own = `${algorithmOf(choices, draft)?.name ?? ""} on ${environmentOf(choices, draft)?.name ?? ""}`;
  return (
    <Field label="Name" hint="Can be changed later" error={problems[POINTERS.name]}>
      {(control) => (
        <input
          {...control}
          autoComplete="off"
          maxLength={choices.limits.run_name.maximum}
          placeholder={own}
          className={controlClass}
          value={draft.name}
          onChange={(event) => edit({ field: "name", value: event.target.value })}
        />
      )}
    </Field>
  );
}
