"use client";

import { type FormEvent, useState } from "react";
import type { Environment } from "@/api/types";
import { SchemaField } from "@/forms/schema-field";
import { setting } from "@/lib/number";
import { Button } from "@/ui/button";
import { MEND_FIRST } from "@/ui/field";
import { optionProblems, type TypedOptions, usualValue } from "./option-address";

interface OptionsFormProps {
  environment: Environment;
  /** As the environment is played now. */
  typed: TypedOptions;
  onPlay: (typed: TypedOptions) => void;
}

/** The options of an environment, from the service's schemas. Others begin another session. */
export function OptionsForm({ environment, typed, onPlay }: OptionsFormProps) {
  const [draft, setDraft] = useState(typed);
  const problems = optionProblems(environment, draft);
  const wrong = Object.keys(problems).length > 0;
  const play = (event: FormEvent) => {
    event.preventDefault();
    if (!wrong) onPlay(draft);
  };
  return (
    <form onSubmit={play} className="mt-3 flex flex-col gap-3.5">
      {environment.options.map((option) => (
        <SchemaField
          key={option.name}
          schema={option}
          typed={draft[option.name]}
          own={usualValue(option)}
          owner="default"
          error={problems[option.name]}
          onChange={(value) =>
            setDraft((before) => ({
              ...before,
              [option.name]: value ?? setting(usualValue(option)),
            }))
          }
        />
      ))}
      <Button type="submit" unavailable={wrong && MEND_FIRST}>
        Play with these
      </Button>
    </form>
  );
}
