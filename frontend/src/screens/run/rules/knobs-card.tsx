"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { changeKnobs, knobsQuery } from "@/api/rules";
import type { KnobChange, RunDetail, RunKnob, RunKnobs } from "@/api/types";
import { type Bounds, describeBounds } from "@/forms/parse";
import { count, parseNumber, settingText } from "@/lib/number";
import type { RunSeries } from "@/stream/series/run-series";
import { useSeries } from "@/stream/series/use-run-curves";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";

/** No event of the stream reports an applied change, so the page polls more often after a request. */
const WHILE_WAITING = 1000;
const WHILE_LIVE = 5000;

interface KnobsCardProps {
  run: RunDetail;
  series: RunSeries;
}

/** The hyperparameters that can be changed while the run trains; hidden if there are none. */
export function KnobsCard({ run, series }: KnobsCardProps) {
  const { data } = useQuery({
    ...knobsQuery(run.id),
    refetchInterval: ({ state }) =>
      state.data?.knobs.some(({ waiting }) => waiting.length > 0) ? WHILE_WAITING : WHILE_LIVE,
  });
  if (!data || data.knobs.length === 0) return null;
  return (
    <Card title="Live hyperparameters" bodyClass="divide-y divide-line">
      {data.knobs.map((knob) => (
        <KnobForm key={knob.name} run={run.id} knob={knob} series={series} />
      ))}
    </Card>
  );
}

interface KnobFormProps {
  run: string;
  knob: RunKnob;
  series: RunSeries;
}

/** Sets or multiplies one hyperparameter of a run that trains. */
function KnobForm({ run, knob, series }: KnobFormProps) {
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
              unavailable={!change && "Enter a number first."}
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

/** The problem with the value, or why the change was refused. */
function refusal(error: Error): string {
  const field = error instanceof ApiError ? error.fields[0] : undefined;
  return field?.detail ?? explainAction(error);
}

/** The newest logged value of a metric; null without one. */
function useLogged(series: RunSeries, metric: string | null): number | null {
  const latest = () => (metric === null ? null : series.column(metric).latest());
  return useSeries(series, latest, latest);
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How a knob is changed. */
type Way = KnobChange["kind"];

/** The bounds of the typed number. */
function boundsOf(knob: RunKnob, way: Way): Bounds {
  if (way === "scale_knob") return { exclusive_minimum: 0 };
  const { minimum, maximum, excludes_minimum: excludes } = knob;
  return { [excludes ? "exclusive_minimum" : "minimum"]: minimum, maximum };
}

/** The change that `text` describes, or why it is invalid; neither while it is empty. */
function knobChange(
  knob: RunKnob,
  way: Way,
  text: string,
): { change?: KnobChange; problem?: string } {
  if (text.trim() === "") return {};
  const value = parseNumber(text);
  if (!Number.isFinite(value)) return { problem: "Enter a number" };
  const bounds = boundsOf(knob, way);
  const { minimum = -Infinity, exclusive_minimum: above = -Infinity, maximum = Infinity } = bounds;
  if (value < minimum! || value <= above! || value > maximum!) {
    return { problem: `Must be ${describeBounds(bounds)}` };
  }
  return way === "set_knob"
    ? { change: { kind: way, knob: knob.name, value } }
    : { change: { kind: way, knob: knob.name, factor: value } };
}

/** The allowed values, and their effect. */
function knobHint(knob: RunKnob, way: Way): string {
  const bounds = describeBounds(boundsOf(knob, way));
  const allowed = `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
  if (!knob.follows_schedule) return allowed;
  return way === "set_knob"
    ? `${allowed} The value replaces the schedule.`
    : `${allowed} The schedule continues, multiplied by this factor.`;
}

/** The value of a knob: of a schedule, the one that was logged last, if any was. */
function valueNow(knob: RunKnob, logged: number | null): number | null {
  if (!knob.follows_schedule) return knob.changed?.after ?? knob.configured;
  return logged ?? knob.changed?.after ?? null;
}

function knobValue(value: number | null): string {
  return value === null ? "by its schedule" : settingText(value);
}

/** Requested changes that are not applied yet. */
function waitingText(waiting: readonly KnobChange[]): string {
  const words = waiting.map((change) =>
    change.kind === "set_knob" ? knobValue(change.value) : `times ${knobValue(change.factor)}`,
  );
  return `${words.join(", then ")} at the start of the next rollout`;
}

/** The last applied change; null without one. */
function changedText({ changed }: RunKnob): string | null {
  if (!changed) return null;
  const by = {
    person: "by you",
    rule: `by rule ${count(changed.rule)}`,
    parent: "while its parent trained",
  }[changed.by];
  const limited = changed.limited ? ", as far as its bounds allow" : "";
  return `Changed from ${knobValue(changed.before)} to ${knobValue(changed.after)} ${by}${limited}.`;
}
