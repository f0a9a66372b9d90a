import { Field } from "@/ui/field";
import { Select } from "@/ui/select";

interface PairPickerProps {
  names: readonly string[];
  /** Places of the components: across, and up. */
  pair: readonly [number, number];
  onChange: (pair: [number, number]) => void;
}

/** The two components of a slice. Choosing what the other axis shows exchanges the two. */
export function PairPicker({ names, pair: [x, y], onChange }: PairPickerProps) {
  const choose = (next: [number, number]) => onChange(next[0] === next[1] ? [y, x] : next);
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">
      <ComponentPicker label="Across" names={names} value={x} onChange={(to) => choose([to, y])} />
      <ComponentPicker label="Up" names={names} value={y} onChange={(to) => choose([x, to])} />
    </div>
  );
}

interface ComponentPickerProps {
  label: string;
  names: readonly string[];
  value: number;
  onChange: (place: number) => void;
}

function ComponentPicker({ label, names, value, onChange }: ComponentPickerProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        >
          {names.map((name, place) => (
            <option key={place} value={place}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
