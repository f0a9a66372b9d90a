import { LISTED, SeedCount } from "@/forms/seed-choice";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import type { ExperimentDraft } from "./draft";
import { POINTERS, problemAt, type Problems } from "./problems";

interface LengthFieldsProps {
  draft: ExperimentDraft;
  problems: Problems;
  onChange: (changes: Partial<ExperimentDraft>) => void;
}

/** With how many seeds, or which, and for how many steps; a search says its seeds itself. */
export function LengthFields({ draft, problems, onChange }: LengthFieldsProps) {
  const { kind, seeds, seed, steps } = draft;
  return (
    <div className="grid grid-cols-2 gap-3">
      {kind !== "search" && (
        <SeedCount
          label="Seeds of each"
          hint={
            seeds === 1 ? "One seed shows nothing for sure." : "More seeds, narrower intervals."
          }
          value={seeds}
          onChange={(choice) => onChange({ seeds: choice })}
        />
      )}
      <Field
        label="Steps of each run"
        hint="Empty: the preset's."
        error={problemAt(problems, POINTERS.steps)}
      >
        {(control) => (
          <input
            {...control}
            className={controlClass}
            inputMode="numeric"
            autoComplete="off"
            placeholder="preset"
            value={steps}
            onChange={(event) => onChange({ steps: event.currentTarget.value })}
          />
        )}
      </Field>
      {kind !== "search" && seeds === LISTED && (
        <Field
          label="Seeds"
          hint="As in 1, 2, 3."
          className="col-span-2"
          error={problemAt(problems, POINTERS.seeds)}
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              autoComplete="off"
              placeholder="1, 2, 3"
              value={seed}
              onChange={(event) => onChange({ seed: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}
