import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import type { Draft } from "./draft";
import { LISTED, SEED_COUNTS, type SeedChoice, seedsWanted } from "./seed-choice";

interface SeedCountProps {
  draft: Pick<Draft, "seed" | "seeds">;
  onChange: (choice: SeedChoice) => void;
}

/** How many runs to start, each with a seed of its own and otherwise the same; or that the seeds are listed. */
export function SeedCount({ draft, onChange }: SeedCountProps) {
  const { seeds: value } = draft;
  const hint =
    value === LISTED
      ? "One run a seed"
      : seedsWanted(draft) > 1
        ? "From the seed on, or drawn"
        : "One run";
  return (
    <Field label="× seeds" hint={hint}>
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
