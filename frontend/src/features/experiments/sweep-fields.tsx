import { PRUNERS, SAMPLERS } from "@/api/sweep-text";
import type { Hyperparameter } from "@/api/types";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { POINTERS, problemAt, type Problems } from "./problems";
import { SpaceFields } from "./space-fields";
import type { SweepDraft } from "./sweep-draft";

interface SweepFieldsProps {
  sweep: SweepDraft;
  fields: ReadonlyMap<string, Hyperparameter>;
  problems: Problems;
  onChange: (changes: Partial<SweepDraft>) => void;
}

/** How a search goes about it, and what it searches. */
export function SweepFields({ sweep, fields, problems, onChange }: SweepFieldsProps) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Trials"
          error={problemAt(problems, POINTERS.trials)}
          hint="Combinations that are tried."
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              inputMode="numeric"
              value={sweep.trials}
              onChange={(event) => onChange({ trials: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field
          label="Seeds a trial"
          error={problemAt(problems, POINTERS.seedsPerTrial)}
          hint="With one, luck counts for much."
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              inputMode="numeric"
              value={sweep.seeds}
              onChange={(event) => onChange({ seeds: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Sampler">
          {(control) => (
            <Select
              {...control}
              value={sweep.sampler}
              onChange={(event) =>
                onChange({ sampler: event.currentTarget.value as SweepDraft["sampler"] })
              }
            >
              <Options of={SAMPLERS} />
            </Select>
          )}
        </Field>
        <Field label="Pruner" hint="Gives up by greedy evaluations.">
          {(control) => (
            <Select
              {...control}
              value={sweep.pruner}
              onChange={(event) =>
                onChange({ pruner: event.currentTarget.value as SweepDraft["pruner"] })
              }
            >
              <Options of={PRUNERS} />
            </Select>
          )}
        </Field>
      </div>
      <SpaceFields
        rows={sweep.space}
        fields={fields}
        problems={problems}
        onChange={(space) => onChange({ space })}
      />
    </>
  );
}

function Options({ of }: { of: Record<string, string> }) {
  return Object.entries(of).map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
}
