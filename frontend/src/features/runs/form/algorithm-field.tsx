import { useId } from "react";
import { ChoiceCard } from "./choice-card";
import { algorithmOf, environmentOf } from "./draft";
import { whyIncompatible } from "./compatibility";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

/** A choice among all algorithms. One that cannot train on the selected environment is disabled and says why. */
export function AlgorithmField({ choices, draft, edit, problems }: FieldsProps) {
  const name = useId();
  const environment = environmentOf(choices, draft);
  const chosen = algorithmOf(choices, draft);
  const problem = problems[POINTERS.algo];
  return (
    <fieldset
      role="radiogroup"
      tabIndex={problem ? -1 : undefined}
      aria-invalid={problem ? true : undefined}
      className="outline-none"
    >
      <legend className="mb-1 text-xs font-medium text-ink-soft">Algorithm</legend>
      <div className="grid grid-cols-2 gap-1.5 sm:grid-cols-4">
        {choices.algorithms.map((algorithm) => {
          const unfit = environment ? whyIncompatible(algorithm, environment) : null;
          return (
            <ChoiceCard
              key={algorithm.id}
              name={name}
              value={algorithm.id}
              label={algorithm.name}
              checked={algorithm.id === draft.algo}
              disabled={unfit !== null && algorithm.id !== draft.algo}
              onChoose={() => edit({ field: "algo", value: algorithm.id })}
            >
              <span className="text-2xs text-ink-faint">{unfit ?? algorithm.title}</span>
            </ChoiceCard>
          );
        })}
      </div>
      {chosen && <p className="mt-2 text-xs text-ink-soft">{chosen.summary}</p>}
      {problem && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
