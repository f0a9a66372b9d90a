import { Dices } from "lucide-react";
import { Button } from "@/components/ui/button";
import { controlClass, Field } from "@/components/ui/field";
import { algorithmOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

/** Random seeds are drawn below this: short enough to read out, and enough of them that they rarely repeat. */
const DRAWN = 10_000;

export function SeedField({ choices, draft, edit, problems }: FieldsProps) {
  const most = algorithmOf(choices, draft)?.seed.maximum ?? DRAWN;
  const draw = () =>
    edit({ field: "seed", value: String(Math.floor(Math.random() * Math.min(DRAWN, most))) });
  return (
    <Field label="Seed" hint="Blank draws one" error={problems[POINTERS.seed]}>
      {(control) => (
        <div className="flex gap-1.5">
          <input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            placeholder="random"
            className={controlClass}
            value={draft.seed}
            onChange={(event) => edit({ field: "seed", value: event.target.value })}
          />
          <Button aria-label="Roll the dice" title="Roll the dice" className="px-2!" onClick={draw}>
            <Dices aria-hidden className="size-4" />
          </Button>
        </div>
      )}
    </Field>
  );
}
