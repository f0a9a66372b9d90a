import { controlClass, Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { type ExperimentDraft, SEED_COUNTS } from "./draft";

interface LengthFieldsProps {
  draft: ExperimentDraft;
  /** What is wrong with the steps. */
  problem: string | undefined;
  onChange: (changes: Partial<ExperimentDraft>) => void;
}

/** With how many seeds, and for how many steps; a search says its seeds itself. */
export function LengthFields({ draft, problem, onChange }: LengthFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      {draft.kind !== "search" && (
        <Field label="Seeds of each" hint="More seeds, narrower intervals.">
          {(control) => (
            <Select
              {...control}
              value={draft.seeds}
              onChange={(event) => onChange({ seeds: event.currentTarget.value })}
            >
              {SEED_COUNTS.map((count) => (
                <option key={count} value={count}>
                  {count}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label="Steps of each run" hint="Empty: the preset's." error={problem}>
        {(control) => (
          <input
            {...control}
            className={controlClass}
            inputMode="numeric"
            placeholder="preset"
            value={draft.steps}
            onChange={(event) => onChange({ steps: event.currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}
