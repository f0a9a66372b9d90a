"use client";

import { Play } from "lucide-react";
import { type FormEvent, useReducer, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { ChoiceFields } from "./choice-fields";
import { changeDraft, type Choices, type Draft, type DraftChange, firstDraft } from "./draft";
import { RunFields } from "./run-fields";
import { HyperparameterFields } from "./hyperparameter-fields";
import { type Problems, problemsAfter, problemsByPointer, submission, unplaced } from "./submit";
import { useCreateRun } from "../use-create-run";

const BASIC = ["/algo", "/env_id", "/preset", "/seed", "/total_timesteps", "/name"];

export function CreateRunForm({ choices }: { choices: Choices }) {
  const form = useRef<HTMLFormElement>(null);
  const [draft, change] = useReducer(
    (old: Draft, next: DraftChange) => changeDraft(choices, old, next),
    choices,
    firstDraft,
  );
  const [problems, setProblems] = useState<Problems>({});
  const create = useCreateRun();
  const edit = (next: DraftChange) => {
    change(next);
    setProblems((old) => problemsAfter(old, next));
  };
  const showProblems = (found: Problems) => {
    setProblems(found);
    requestAnimationFrame(() => {
      const first = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
      first?.closest("details")?.setAttribute("open", "");
      first?.focus();
    });
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending || create.isSuccess) return;
    create.reset();
    const result = submission(choices, draft);
    if ("problems" in result) return showProblems(result.problems);
    setProblems({});
    create.mutate(result.body, {
      onError: (error) => showProblems(problemsByPointer(error.fields)),
    });
  };

  const algorithm = choices.algorithms.find(({ id }) => id === draft.algo);
  const placed = [
    ...BASIC,
    ...(algorithm?.hyperparameters ?? []).map(({ name }) => `/hyperparameters/${name}`),
  ];
  const others = unplaced(problems, placed);
  const refused = create.error && (others.length > 0 || create.error.fields.length === 0);
  return (
    <form
      ref={form}
      onSubmit={submit}
      noValidate
      aria-label="New run"
      className="flex flex-col gap-4"
    >
      <ChoiceFields choices={choices} draft={draft} change={edit} problems={problems} />
      <RunFields choices={choices} draft={draft} change={edit} problems={problems} />
      <HyperparameterFields choices={choices} draft={draft} change={edit} problems={problems} />
      {refused && (
        <Notice tone="bad" role="alert" title={create.error.title}>
          <p>{others.length > 0 ? others.join(" · ") : create.error.detail}</p>
        </Notice>
      )}
      <div className="flex flex-col bg-surface lg:sticky lg:bottom-0 lg:-mx-4 lg:-mb-4 lg:border-t lg:border-line lg:px-4 lg:py-3">
        <Button
          type="submit"
          variant="primary"
          size="lg"
          busy={create.isPending || create.isSuccess}
          icon={<Play aria-hidden className="size-4" />}
        >
          Start training
        </Button>
      </div>
    </form>
  );
}
