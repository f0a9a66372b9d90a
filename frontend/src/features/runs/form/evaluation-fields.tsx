import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { anatomyOf, environmentOf, type EvaluationDraft, evaluationOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

/** Fields for evaluation during training, for early stopping, and for the anatomy of updates. */
export function EvaluationFields({ choices, draft, edit, problems }: FieldsProps) {
  const evaluation = evaluationOf(choices, draft);
  const solvable = environmentOf(choices, draft)?.reward_threshold != null;
  const change = (value: Partial<EvaluationDraft>) => edit({ field: "evaluation", value });
  const number = (field: "every" | "episodes" | "stopAfter", label: string, hint: string) => (
    <Field label={label} hint={hint} error={problems[POINTERS[field]]}>
      {(control) => (
        <input
          {...control}
          inputMode="numeric"
          autoComplete="off"
          className={controlClass}
          value={evaluation[field]}
          onChange={({ target }) => change({ [field]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Evaluate while training, and keep the best policy"
        checked={evaluation.on}
        onChange={(on) => change({ on })}
      />
      {evaluation.on && (
        <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-3">
          {number("every", "Every", "Environment steps apart")}
          {number("episodes", "Episodes", "Played without exploring")}
          {solvable && (
            <div className="flex flex-col gap-2 max-sm:col-span-2">
              <Switch
                label="Stop when solved"
                checked={evaluation.stops}
                onChange={(stops) => change({ stops })}
              />
              {evaluation.stops &&
                number("stopAfter", "In a row", "Solved evaluations before it ends")}
            </div>
          )}
        </div>
      )}
      <Switch
        label="Look inside the updates: advantages, gradients, weights"
        checked={anatomyOf(choices, draft)}
        onChange={(value) => edit({ field: "anatomy", value })}
      />
    </div>
  );
}
