"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { changeKnobs } from "@/api/rules";
import type { KnobChange, RunKnob, RunKnobs } from "@/api/types";
import type { RunSeries } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import {
  changedText,
  knobChange,
  knobHint,
  knobValue,
  valueNow,
  waitingText,
  type Way,
} from "./knob-text";

interface KnobFormProps {
  run: string;
  knob: RunKnob;
  series: RunSeries;
}

/** Sets or multiplies one hyperparameter of a run that trains. */
export function KnobForm({ run, knob, series }: KnobFormProps) {
  const client = useQueryClient();
  const [way, setWay] = useState<Way>("set_knob");
  const [text, setText] = useState("");
  const { change, problem } = knobChange(knob, way, text);
  const { mutate, isPending, error, reset } = useMutation<RunKnobs, Error, KnobChange>({
    mutationFn: (wanted) => changeKnobs(run, [wanted]),
    onSuccess: (answer) => {
      client.setQueryData(keys.knobs(run), answer);
      setText("");
    },
  });
  const now = valueNow(knob, useLogged(series, knob.metric));
  const changed = changedText(knob);
  return (
    <form
      className="px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (change) mutate(change);
      }}
    >
      <Field
        label={capitalized(knob.label)}
        aside={<span className="font-mono text-xs tabular-nums">{knobValue(now)}</span>}
        hint={knobHint(knob, way)}
        error={problem ?? (error ? refusal(error) : undefined)}
      >
        {(control) => (
          <div className="flex gap-2">
            <Select
              aria-label={`How to change the ${knob.label}`}
              className="w-32 shrink-0"
              value={way}
              onChange={({ target }) => {
                reset();
                setWay(target.value as Way);
              }}
            >
              <option value="set_knob">Set to</option>
              <option value="scale_knob">Multiply by</option>
            </Select>
            <input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              className={controlClass}
              value={text}
              onChange={({ target }) => {
                reset();
                setText(target.value);
              }}
            />
            <Button
              type="submit"
              needsService
              busy={isPending}
              unavailable={!change && "Give a number first."}
            >
              Change
            </Button>
          </div>
        )}
      </Field>
      {knob.waiting.length > 0 ? (
        <p role="status" className="mt-1 text-xs text-ink-soft">
          {capitalized(waitingText(knob.waiting))}.
        </p>
      ) : (
        changed && <p className="mt-1 text-xs text-ink-soft">{changed}</p>
      )}
    </form>
  );
}

/** What is wrong with the value, or why the change was refused. */
function refusal(error: Error): string {
  const field = error instanceof ApiError ? error.fields[0] : undefined;
  return field?.detail ?? explainAction(error);
}

/** The value of a metric that was logged last; null without one. */
function useLogged(series: RunSeries, metric: string | null): number | null {
  const latest = () => (metric === null ? null : series.column(metric).latest());
  return useSeries(series, latest, latest);
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
