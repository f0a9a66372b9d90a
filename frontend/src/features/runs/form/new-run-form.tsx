"use client";

import { Play } from "lucide-react";
import { type FormEvent, useReducer, useRef, useState } from "react";
import { learns } from "@/api/run-availability";
import { LISTED, SeedCount, seedsWanted } from "@/forms/seed-choice";
import { Button } from "@/ui/button";
import { revealProblem } from "@/ui/field";
import { Notice } from "@/ui/notice";
import { useCreateRun } from "../use-create-run";
import { AdvancedFields } from "./advanced-fields";
import { AlgorithmField } from "./algorithm-field";
import { changeDraft, type DraftChange } from "./change-draft";
import { replacedAlgorithmNote } from "./compatibility";
import { algorithmOf, type Choices, type Draft, environmentOf, presetsOf } from "./draft";
import { clearDraft, isUnedited, saveDraft } from "./draft-storage";
import { EnvironmentField } from "./environment-field";
import { EvaluationFields } from "./evaluation-fields";
import { LengthField } from "./length-field";
import { NameField } from "./name-field";
import { PresetField } from "./preset-field";
import { RuleFields } from "./rule-fields";
import { RunSummary } from "./run-summary";
import { SchemaFields } from "./schema-fields";
import { Section } from "./section";
import { SeedField } from "./seed-field";
import { SinkFields } from "./sink-fields";
import { SnapshotFields } from "./snapshot-fields";
import { type Problems, problemsAfter, problemsByPointer, submission, unplaced } from "./submit";

interface NewRunFormProps {
  choices: Choices;
  first: Draft;
}

export function NewRunForm({ choices, first }: NewRunFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [draft, change] = useReducer(
    (old: Draft, next: DraftChange) => changeDraft(choices, old, next),
    first,
  );
  const [refused, setRefused] = useState<Problems>({});
  const create = useCreateRun();
  const { body, seeds, problems: own } = submission(choices, draft);
  const problems = { ...refused, ...own };
  const wanted = seedsWanted(draft);

  const edit = (next: DraftChange) => {
    change(next);
    setRefused((old) => problemsAfter(old, next));
    saveDraft(window.sessionStorage, choices, changeDraft(choices, draft, next));
  };
  /** After the next render, when the fields show what is wrong with them. */
  const focusFirstProblem = () => requestAnimationFrame(() => revealProblem(form.current));
  const send = (start: boolean) => {
    if (create.isPending || create.isSuccess) return;
    create.reset();
    setRefused({});
    if (Object.keys(own).length > 0) return focusFirstProblem();
    create.mutate(
      { body: { ...body, start }, seeds, count: wanted },
      {
        onSuccess: () => clearDraft(window.sessionStorage),
        onError: (error) => {
          setRefused(problemsByPointer(error.fields));
          focusFirstProblem();
        },
      },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(true);
  };

  const others = unplaced(refused, choices, draft);
  const unexplained = create.error && (others.length > 0 || create.error.fields.length === 0);
  const fields = { choices, draft, edit, problems };
  const busy = create.isPending || create.isSuccess;
  const chosen = algorithmOf(choices, draft);
  const trains = !chosen || learns(chosen);
  return (
    <form
      ref={form}
      onSubmit={submit}
      noValidate
      aria-label="New run"
      className="flex grow flex-col divide-y divide-line"
    >
      <Section
        title="What to train"
        aside={
          !isUnedited(choices, draft) && (
            <Button
              size="sm"
              variant="quiet"
              className="-my-1.5"
              onClick={() => edit({ field: "start-over" })}
            >
              Start over
            </Button>
          )
        }
      >
        <EnvironmentField {...fields} />
        {(environmentOf(choices, draft)?.options.length ?? 0) > 0 && (
          <div className="rounded-md border border-line bg-sunken p-3 pl-4">
            <SchemaFields {...fields} part="env_options" owner="default" />
          </div>
        )}
        <AlgorithmField {...fields} />
        <p role="status" className="text-xs text-warn empty:hidden">
          {replacedAlgorithmNote(choices, draft)}
        </p>
      </Section>
      {presetsOf(choices, draft).length > 0 && (
        <Section title="Preset">
          <PresetField {...fields} />
        </Section>
      )}
      <Section title="This run">
        <LengthField {...fields} />
        <div className="grid gap-3 sm:grid-cols-[11rem_7rem_minmax(0,1fr)]">
          <SeedField {...fields} />
          <SeedCount
            label="× seeds"
            hint={seedHint(draft)}
            value={draft.seeds}
            onChange={(value) => edit({ field: "seeds", value })}
          />
          <NameField {...fields} />
        </div>
        {trains && <EvaluationFields {...fields} />}
      </Section>
      {trains && <AdvancedFields {...fields} />}
      {trains && <SnapshotFields {...fields} />}
      <RuleFields {...fields} />
      <SinkFields {...fields} />
      <div className="sticky bottom-0 z-1 mt-auto flex flex-col gap-2 bg-surface px-5 py-3 max-md:px-4 max-md:pb-[calc(0.75rem+env(safe-area-inset-bottom))]">
        {unexplained && (
          <Notice tone="bad" role="alert" title={create.error.title}>
            <p>{others.length > 0 ? others.join(" · ") : create.error.detail}</p>
          </Notice>
        )}
        <div className="flex items-center gap-2">
          <RunSummary choices={choices} draft={draft} problems={problems} />
          <Button
            size="lg"
            variant="quiet"
            className="ml-auto max-sm:hidden"
            onClick={() => send(false)}
          >
            Create only
          </Button>
          <Button
            type="submit"
            needsService
            variant="primary"
            size="lg"
            busy={busy}
            className="max-sm:grow"
            icon={<Play aria-hidden className="size-4" />}
          >
            {trains ? "Start training" : "Start"}
            {wanted > 1 && ` × ${wanted}`}
          </Button>
        </div>
      </div>
    </form>
  );
}

function seedHint(draft: Draft): string {
  if (draft.seeds === LISTED) return "One run a seed";
  return seedsWanted(draft) > 1 ? "From the seed on, or drawn" : "One run";
}
