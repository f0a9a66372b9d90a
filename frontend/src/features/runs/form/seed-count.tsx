import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";

const COUNTS = [1, 3, 5, 10];

interface SeedCountProps {
  value: number;
  onChange: (count: number) => void;
}

/** How many runs to start, each with a seed of its own and otherwise the same. */
export function SeedCount({ value, onChange }: SeedCountProps) {
  return (
    <Field label="× seeds" hint={value > 1 ? "From the seed on, or drawn" : "One run"}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        >
          {COUNTS.map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
