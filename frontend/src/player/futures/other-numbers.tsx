"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type EpisodeSource, otherActionsQuery, type StepPlace } from "@/api/futures";
import type { OtherActions } from "@/api/types";
import { decimal, parseNumber, settingText } from "@/lib/number";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import type { WantedFuture } from "./other-futures";
import { numberProblem, stepTitle, type TypedNumber, typedNumbers } from "./prepare";

interface OtherNumbersProps {
  source: EpisodeSource;
  at: StepPlace;
  onChoose: (wanted: WantedFuture) => void;
  onClose: () => void;
}

/** Asks for the numbers of another continuous action. */
export function OtherNumbers({ source, at, onChoose, onClose }: OtherNumbersProps) {
  const { data } = useQuery(otherActionsQuery(source, at));
  const numbers = data && typedNumbers(data);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title="Another action"
      description={stepTitle(at, data?.taken.name ?? null)}
    >
      {numbers && <NumbersForm {...{ at, numbers, onChoose, onClose }} taken={data.taken} />}
    </Dialog>
  );
}

interface NumbersFormProps extends Pick<OtherNumbersProps, "at" | "onChoose" | "onClose"> {
  numbers: readonly TypedNumber[];
  taken: OtherActions["taken"];
}

function NumbersForm({ at, numbers, taken, onChoose, onClose }: NumbersFormProps) {
  const [texts, setTexts] = useState(() => numbers.map(({ value }) => String(value)));
  const problems = numbers.map((number, i) => numberProblem(number, texts[i]!));
  const action = texts.map(parseNumber);
  const isSame = action.every((value, i) => value === taken.action[i]);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isSame || problems.some((problem) => problem !== null)) return;
        onChoose({ at, taken, other: { name: action.map(decimal).join(", "), action } });
        onClose();
      }}
    >
      {numbers.map((number, i) => (
        <Field
          key={number.label}
          label={number.label}
          hint={boundsText(number)}
          error={problems[i] ?? undefined}
        >
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              className={controlClass}
              value={texts[i]}
              onChange={({ target }) =>
                setTexts(texts.map((text, j) => (i === j ? target.value : text)))
              }
            />
          )}
        </Field>
      ))}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          needsService
          unavailable={isSame && "This action was taken. Enter another one."}
        >
          Play it
        </Button>
      </div>
    </form>
  );
}

function boundsText({ minimum, maximum }: TypedNumber): string | undefined {
  return minimum === null || maximum === null
    ? undefined
    : `From ${settingText(minimum)} to ${settingText(maximum)}`;
}
