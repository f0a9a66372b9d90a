import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { LISTED, SEED_COUNTS, type SeedChoice } from "./seed-choice";

interface SeedCountProps {
  label: string;
  hint: string;
  value: SeedChoice;
  onChange: (choice: SeedChoice) => void;
}

/** How many runs, each with a seed of its own and otherwise the same; or that the seeds are listed. */
export function SeedCount({ label, hint, value, onChange }: SeedCountProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={({ currentTarget: { value: chosen } }) =>
            onChange(chosen === LISTED ? LISTED : Number(chosen))
          }
        >
          {SEED_COUNTS.map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
          <option value={LISTED}>List</option>
        </Select>
      )}
    </Field>
  );
}
