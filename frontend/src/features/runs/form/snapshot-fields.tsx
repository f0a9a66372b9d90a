import { useState } from "react";
import { planDraft, PlanFields, planOf, planText } from "@/forms/snapshot-plan";
import { Disclosure } from "@/ui/disclosure";
import type { FieldsProps } from "./form-state";
import { planProblems } from "./submit";

/** When everything that training is gets saved. It can be changed on the run's page at any time. */
export function SnapshotFields({ choices: { limits }, draft, edit, problems }: FieldsProps) {
  const [opened, setOpened] = useState(draft.snapshots !== null);
  const own = planProblems(problems);
  const plan = draft.snapshots ?? planDraft(null, limits);
  return (
    <Disclosure
      className="px-5 py-3 max-md:px-4"
      open={opened || Object.keys(own).length > 0}
      onToggle={setOpened}
      summary={<span className="font-semibold">Snapshots</span>}
      aside={
        <span className="min-w-0 truncate text-xs font-normal text-ink-faint">
          {planText(planOf(plan, limits).plan)}
        </span>
      }
    >
      <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
        <p className="text-xs text-ink-soft">
          A snapshot is everything that training is: the run can be resumed, rolled back and forked
          there. One is also taken at a pause, at each best policy, and at the end.
        </p>
        <PlanFields
          draft={plan}
          problems={own}
          onChange={(change) => edit({ field: "snapshots", value: { ...plan, ...change } })}
        />
      </div>
    </Disclosure>
  );
}
