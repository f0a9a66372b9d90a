import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { columnName, groupedColumns } from "./column-name";

interface ColumnSelectProps {
  label: string;
  value: string;
  names: readonly string[];
  onChange: (name: string) => void;
}

/** Selects a column of runs. One from the address that there is not is listed too, so that it can be changed. */
export function ColumnSelect({ label, value, names, onChange }: ColumnSelectProps) {
  const known = names.includes(value) ? names : [value, ...names];
  return (
    <Field label={label} className="w-[calc(50%-0.375rem)] sm:w-52">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {groupedColumns(known).map(([group, ours]) => (
            <optgroup key={group} label={group}>
              {ours.map((name) => (
                <option key={name} value={name}>
                  {columnName(name).label}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </Field>
  );
}
