/** How many seeds, or which seeds: used by the forms of a new run and of an experiment. */

import { count } from "@/lib/number";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { type Bounds, type Parsed, parseInteger } from "./parse";

const SEED_COUNTS: readonly number[] = [1, 3, 5, 10];
/** The seeds are listed in the field of the seed. */
export const LISTED = "list";

/** Number of seeds, or that they are listed. */
export type SeedChoice = number | typeof LISTED;

/** The first seed as typed, or the list of seeds if `seeds` says so. */
export interface TypedSeeds {
  seed: string;
  seeds: SeedChoice;
}

const PARTS = /[\s,;]+/;

/** The seeds of a list such as `1, 2, 5`: at most `most`, each within `bounds`. */
export function parseSeeds(text: string, bounds: Bounds = {}, most = Infinity): Parsed {
  const parts = text.split(PARTS).filter((part) => part !== "");
  const no = (problem: string): Parsed => ({ ok: false, problem });
  if (parts.length === 0) return no("Enter seeds separated by commas, or choose how many to draw");
  if (parts.length > most)
    return no(`Enter ${count(most)} seeds at most; these are ${parts.length}`);
  const seeds = new Set<number>();
  for (const part of parts) {
    const parsed = parseInteger(part, bounds);
    if (!parsed.ok) return no(`${part}: ${parsed.problem.toLowerCase()}`);
    const seed = parsed.value as number;
    if (seeds.has(seed)) return no(`Seed ${seed} is listed twice: each seed trains one run`);
    seeds.add(seed);
  }
  return { ok: true, value: [...seeds] };
}

/** How many runs the draft asks for. */
export function seedsWanted({ seed, seeds }: TypedSeeds): number {
  if (seeds !== LISTED) return seeds;
  return Math.max(1, seed.split(PARTS).filter((part) => part !== "").length);
}

/** What of the typed seed remains when `seeds` is chosen: of a list the first, unless it stays a list. */
export function seedFor(seeds: SeedChoice, seed: string): string {
  return seeds === LISTED ? seed : (seed.split(PARTS).find((part) => part !== "") ?? "");
}

interface SeedCountProps {
  label: string;
  hint: string;
  value: SeedChoice;
  onChange: (choice: SeedChoice) => void;
}

/** Number of runs that differ only in their seed, or a list of seeds. */
export function SeedCount({ label, hint, value, onChange }: SeedCountProps) {
  const other = value === LISTED || SEED_COUNTS.includes(value) ? [] : [value];
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
          {[...SEED_COUNTS, ...other]
            .sort((a, b) => a - b)
            .map((count) => (
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
