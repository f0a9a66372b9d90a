import { Dices } from "lucide-react";
import { LISTED } from "@/forms/seed-choice";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { algorithmOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

/** Random seeds are drawn below this: short enough to read out, and enough of them that they rarely repeat. */
const DRAWN = 10_000;

export function SeedField({ choices, draft, edit, problems }: FieldsProps) {
  const most = algorithmOf(choices, draft)?.seed.maximum ?? DRAWN;
  const draw = () =>
    edit({ field: "seed", value: String(Math.floor(Math.random() * Math.min(DRAWN, most))) });
  const listed = draft.seeds === LISTED;
  return (
    <Field
      label={listed ? "Seeds" : "Seed"}
      hint={listed ? "As in 1, 2, 3" : "Blank draws one"}
      error={problems[POINTERS.seed]}
    >
      {(control) => (
        <div className="flex gap-1.5">
          <input
            {...control}
            inputMode={listed ? "text" : "numeric"}
            autoComplete="off"
            placeholder={listed ? "1, 2, 3" : "random"}
            className={controlClass}
            value={draft.seed}
            onChange={(event) => edit({ field: "seed", value: event.target.value })}
          />
          {!listed && (
            <Button
              aria-label="Roll the dice"
              title="Roll the dice"
              className="px-2!"
              onClick={draw}
            >
              <Dices aria-hidden className="size-4" />
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}
