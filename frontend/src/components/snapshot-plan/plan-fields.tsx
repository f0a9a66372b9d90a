import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import type { PlanDraft, PlanProblems } from "./plan";

interface PlanFieldsProps {
  draft: PlanDraft;
  problems: PlanProblems;
  onChange: (change: Partial<PlanDraft>) => void;
}

/** Fields for when snapshots are taken, and how many are kept. */
export function PlanFields({ draft, problems, onChange }: PlanFieldsProps) {
  const field = (
    name: keyof PlanDraft,
    [label, hint, blank]: readonly [string, string, string],
    error?: string,
  ) => (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          inputMode={name === "steps" || name === "keep" ? "numeric" : "decimal"}
          autoComplete="off"
          placeholder={blank}
          className={controlClass}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      {field(
        "minutes",
        ["Minutes between", "Whichever comes first", "never"],
        problems.every_seconds,
      )}
      {field("steps", ["Steps between", "Whichever comes first", "never"], problems.every_steps)}
      {field("keep", ["Keep the newest", "And all with a name", ""], problems.keep)}
      {field(
        "megabytes",
        ["Within MB", "All of this run's together", "as the service is set"],
        problems.max_bytes,
      )}
    </div>
  );
}
