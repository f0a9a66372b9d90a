"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Columns3, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiError, explainAction } from "@/api/http";
import { stepsQuery } from "@/api/steps";
import type { Evaluation, StepsInfo } from "@/api/types";
import { count } from "@/lib/number";
import { createKeptStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import { nameOf } from "@/player/reading/space";
import { Button } from "@/ui/button";
import { OptionList } from "@/ui/combobox-options";
import { Field } from "@/ui/field";
import { Popover } from "@/ui/popover";
import { controlClass, Select } from "@/ui/select";
import {
  type ColumnChoice,
  columnsOf,
  FIRST_CHOICE,
  FIXED,
  isColumnChoice,
  isShown,
  MOST_COMPONENTS,
  toggled,
} from "./step-columns";
import { type End, isRewardTest, type StepFilter } from "./step-filter";

/** Of more actions than this, one is typed and not chosen from a list. */
const MOST_LISTED = 200;

interface StepFiltersProps {
  info: StepsInfo;
  filter: StepFilter;
  onChange: (filter: StepFilter) => void;
}

export function StepFilters({ info, filter, onChange }: StepFiltersProps) {
  const change = (part: Partial<StepFilter>) => onChange({ ...filter, ...part });
  const { n: actions, starts } = info.action;
  return (
    <div className="grid grid-cols-2 gap-2 @2xl:grid-cols-5">
      <Field label="Episode">
        {(control) => (
          <Select
            {...control}
            value={filter.episode ?? ""}
            onChange={({ target }) =>
              change({ episode: target.value === "" ? null : Number(target.value) })
            }
          >
            <option value="">All</option>
            {info.seeds.map((seed, place) => (
              <option key={place} value={place}>{`${place + 1} (seed ${seed})`}</option>
            ))}
          </Select>
        )}
      </Field>
      {actions !== null && (
        <Field label="Action">
          {(control) =>
            actions <= MOST_LISTED ? (
              <Select
                {...control}
                value={filter.action}
                onChange={({ target }) => change({ action: target.value })}
              >
                <option value="">Any</option>
                {Array.from({ length: actions }, (_, place) => (
                  <option key={place} value={String((starts?.[0] ?? 0) + place)}>
                    {nameOf(info.action, place)}
                  </option>
                ))}
              </Select>
            ) : (
              <input
                {...control}
                type="number"
                className={controlClass}
                placeholder={`Any of ${count(actions)}`}
                value={filter.action}
                onChange={({ target }) => change({ action: target.value })}
              />
            )
          }
        </Field>
      )}
      <Field
        label="Reward"
        error={isRewardTest(filter.reward) ? undefined : "For instance >0 or 0..1"}
      >
        {(control) => (
          <input
            {...control}
            className={controlClass}
            placeholder=">0"
            value={filter.reward}
            onChange={({ target }) => change({ reward: target.value })}
          />
        )}
      </Field>
      <Field label="End">
        {(control) => (
          <Select
            {...control}
            value={filter.end}
            onChange={({ target }) => change({ end: target.value as End })}
          >
            <option value="any">Any step</option>
            <option value="terminated">Terminated</option>
            <option value="truncated">Truncated</option>
          </Select>
        )}
      </Field>
      <Field label="Text">
        {(control) => (
          <input
            {...control}
            className={controlClass}
            placeholder="Action, end or hash"
            value={filter.text}
            onChange={({ target }) => change({ text: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

/** Maximum number of characters. */
const LONGEST = 1_000;

interface ConditionFieldProps {
  evaluation: Evaluation;
  info: StepsInfo;
  /** The condition in force; empty for none. */
  condition: string;
  onChange: (condition: string) => void;
}

/**
 * A condition in words. It applies when Enter is pressed or the field loses the focus. If the service does not
 * understand it, the error is shown beside it and the previous condition stays.
 */
export function ConditionField({ evaluation, info, condition, onChange }: ConditionFieldProps) {
  const client = useQueryClient();
  const [text, setText] = useState(condition);
  const [refused, setRefused] = useState<{ text: string; why: string } | null>(null);
  const wanted = text.trim();

  const apply = async () => {
    if (wanted === condition || wanted === refused?.text) return;
    try {
      if (wanted !== "") {
        const search = { where: [wanted], columns: "index", from: 0, to: 1 };
        await client.fetchQuery(stepsQuery(evaluation.run_id, evaluation.id, search));
      }
      setRefused(null);
      onChange(wanted);
    } catch (error) {
      setRefused({ text: wanted, why: reasonOf(error as Error) });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void apply();
  };
  const clear = () => {
    setText("");
    setRefused(null);
    onChange("");
  };
  const [action] = info.action.labels;
  return (
    <form onSubmit={submit} role="search" aria-label="Steps">
      <Field
        label="Condition"
        hint="Compare any column; join by and, or, not. Enter applies it."
        error={refused?.text === wanted ? refused.why : undefined}
      >
        {(control) => (
          <span className="flex gap-1">
            <input
              {...control}
              className={`${controlClass} font-mono text-xs!`}
              placeholder={`reward < 0${action ? ` and action = ${action}` : " and index > 10"}`}
              maxLength={LONGEST}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              value={text}
              onChange={({ target }) => setText(target.value)}
              onBlur={() => void apply()}
            />
            {text !== "" && (
              <Button
                variant="quiet"
                aria-label="Clear the condition"
                onClick={clear}
                icon={<X aria-hidden className="size-3.5" />}
              />
            )}
          </span>
        )}
      </Field>
    </form>
  );
}

function reasonOf(error: Error): string {
  if (error instanceof ApiError && error.fields.length > 0) return error.fields[0]!.detail;
  return explainAction(error);
}

/** Which columns of steps are shown, for every evaluation; kept in this browser. */
export const columnChoice = createKeptStore<ColumnChoice>(
  "rlviz-step-columns",
  FIRST_CHOICE,
  (kept) => (isColumnChoice(kept) ? kept : null),
);

/** Chooses the columns of the table of steps. */
export function ColumnChoiceButton({ info }: { info: StepsInfo }) {
  const choice = useStore(columnChoice);
  const changed = choice.added.length + choice.removed.length > 0;
  const left = info.observation.numbers - MOST_COMPONENTS;
  return (
    <Popover
      label="Columns of the table"
      align="end"
      className="w-72"
      trigger={
        <Button size="sm" icon={<Columns3 aria-hidden className="size-3.5" />}>
          Columns
        </Button>
      }
    >
      <OptionList
        label="Columns"
        options={columnsOf(info).map(({ name, title, group }) => ({
          ...{ value: name, group, disabled: name === FIXED },
          label: name === "episode" ? "Episode" : title,
        }))}
        chosen={(name) => isShown(name, choice)}
        onChoose={(name) => columnChoice.set(toggled(name, choice))}
        footer={
          (changed || left > 0) && (
            <div className="flex flex-col gap-1 border-t border-line p-1">
              {left > 0 && (
                <p className="px-2 py-1 text-xs text-ink-soft">
                  {left} more components are in the exports.
                </p>
              )}
              {changed && (
                <Button size="sm" variant="quiet" onClick={() => columnChoice.set(FIRST_CHOICE)}>
                  Reset columns
                </Button>
              )}
            </div>
          )
        }
      />
    </Popover>
  );
}
