import type { ControlProps } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { environmentsFor } from "./draft";
import type { FieldsProps } from "./choice-fields";

interface EnvironmentSelectProps extends Omit<FieldsProps, "problems"> {
  control: ControlProps;
}

/** The environments the algorithm can act in, by family. */
export function EnvironmentSelect({ control, choices, draft, change }: EnvironmentSelectProps) {
  const fitting = environmentsFor(choices, draft.algo);
  const families = [...new Set(fitting.map(({ family_title }) => family_title))];
  return (
    <Select
      {...control}
      value={draft.env}
      onChange={(event) => change({ field: "env", value: event.target.value })}
    >
      {families.map((family) => (
        <optgroup key={family} label={family}>
          {fitting
            .filter(({ family_title }) => family_title === family)
            .map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
        </optgroup>
      ))}
    </Select>
  );
}
