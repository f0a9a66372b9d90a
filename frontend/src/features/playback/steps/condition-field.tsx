"use client";

import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiError, explainAction } from "@/api/http";
import { stepsQuery } from "@/api/steps";
import type { Evaluation, StepsInfo } from "@/api/types";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";

/** Characters that the service takes. */
const LONGEST = 1_000;

interface ConditionFieldProps {
  evaluation: Evaluation;
  info: StepsInfo;
  /** The condition in force; empty for none. */
  condition: string;
  onChange: (condition: string) => void;
}

/**
 * A condition in words, in force from Enter on or when the field is left. One that the service does not understand is
 * told beside it, and what was in force stays so.
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
