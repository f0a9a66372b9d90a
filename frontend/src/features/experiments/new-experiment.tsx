"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type Dispatch, type SetStateAction, useEffect, useRef } from "react";
import { algorithmsQuery, environmentsQuery, limitsQuery } from "@/api/choices";
import { createExperiment } from "@/api/experiments";
import { ApiError } from "@/api/http";
import type { Algorithm, Environment, Limits } from "@/api/types";
import { SinkDisclosure } from "@/forms/sink-choice";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field, revealProblem } from "@/ui/field";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { controlClass } from "@/ui/select";
import { AdvancedFields } from "./advanced-fields";
import { BaseFields } from "./base-fields";
import {
  type ExperimentDraft,
  fieldsOf,
  FIRST,
  type Kind,
  offerIn,
  placesOf,
  withBase,
} from "./draft";
import { estimateText } from "./experiment-text";
import { unfairnessOf } from "./fairness";
import { FairnessNotes } from "./fairness-notes";
import { FormFooter } from "./form-footer";
import { LengthFields } from "./length-fields";
import { isUntouched, movedDraft, openingDraft } from "./opening";
import { PlaceFields } from "./place-fields";
import { POINTERS, problemAt, reasonAgainst, refusalsOf } from "./problems";
import { RefusalNotice } from "./refusal-notice";
import { readDraft } from "./specification";
import { SweepFields } from "./sweep-fields";
import { TypedFields } from "./typed-fields";
import { useEstimate } from "./use-estimate";
import { VariantFields } from "./variant-fields";

const KINDS = [
  { value: "variants", label: "Variants" },
  { value: "grid", label: "Grid" },
  { value: "search", label: "Search" },
] as const;

interface NewExperimentProps {
  draft: ExperimentDraft;
  onChange: Dispatch<SetStateAction<ExperimentDraft>>;
  /** Nothing is lost by it: the form is opened again with the same draft. */
  onClose: () => void;
}

/** The form of a new experiment, once it is known what can be chosen. */
export function NewExperiment(props: NewExperimentProps) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  const limits = useQuery(limitsQuery);
  if (algorithms.data && environments.data && limits.data) {
    return (
      <Form
        algorithms={algorithms.data}
        environments={environments.data}
        limits={limits.data}
        {...props}
      />
    );
  }
  const failed = [algorithms, environments, limits].find(({ error }) => error);
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title="New experiment">
      {failed?.error ? (
        <ErrorState
          error={failed.error}
          retry={() => void failed.refetch()}
          retrying={failed.isFetching}
        />
      ) : (
        <div role="status" aria-label="Loading what can be chosen">
          <Skeleton className="h-80" />
        </div>
      )}
    </Dialog>
  );
}

interface FormProps extends NewExperimentProps {
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
  limits: Limits;
}

/** What is varied, where, with how many seeds, and what it costs. */
function Form({ algorithms, environments, limits, draft: given, onChange, onClose }: FormProps) {
  const router = useRouter();
  const body = useRef<HTMLDivElement>(null);
  const create = useMutation({
    mutationFn: (confirm: boolean) => createExperiment({ ...specification, confirm }),
    onSuccess: ({ id }) => router.push(routes.experiment(id)),
  });
  const offerOf = (one: ExperimentDraft) => offerIn(environments, algorithms, placesOf(one));
  const opened = (one: ExperimentDraft) =>
    one === FIRST ? openingDraft(offerOf(one), one.places) : one;
  const draft = opened(given);
  const change = (changes: Partial<ExperimentDraft>) => {
    create.reset();
    onChange((before) => ({ ...opened(before), ...changes }));
  };
  const offer = offerOf(draft);
  const fields = fieldsOf(offer, draft.base.algo);
  const { specification, problems: own } = readDraft(draft, offer, limits);
  const reason = reasonAgainst(draft, own);
  const estimate = useEstimate(specification, reason === undefined);
  const moveTo = (changes: Pick<ExperimentDraft, "kind"> | Pick<ExperimentDraft, "places">) => {
    const moved = { ...draft, ...changes };
    change(movedDraft(draft, moved, offer, offerOf(moved)));
  };
  const refused = create.error instanceof ApiError ? create.error.fields : [];
  const asksBack = refused.find(({ pointer }) => pointer === "/confirm");
  const { shown, others } = refusalsOf(draft, refused);
  const problems = new Map([...shown, ...own]);
  useEffect(() => {
    if (create.error) revealProblem(body.current);
  }, [create.error]);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New experiment"
      footer={
        <FormFooter
          cost={estimate ? estimateText(estimate) : ""}
          note={estimate?.length_note ?? null}
          reason={reason}
          onShow={own.size > 0 ? () => revealProblem(body.current) : null}
          refusal={
            create.error && (
              <RefusalNotice
                {...{ asksBack, others, error: create.error }}
                marked={shown.size}
                onInsist={() => create.mutate(true)}
              />
            )
          }
          asks={asksBack !== undefined}
          busy={create.isPending}
          onCancel={onClose}
          onStart={() => create.mutate(false)}
        />
      }
    >
      <div ref={body} className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Segmented
            legend="What is varied"
            options={KINDS}
            value={draft.kind}
            onChange={(kind) => moveTo({ kind })}
          />
          {!isUntouched(draft, offer) && (
            <Button size="sm" variant="quiet" onClick={() => (create.reset(), onChange(FIRST))}>
              Start over
            </Button>
          )}
        </div>
        <p className="-mt-2 text-xs text-ink-faint">{HELP[draft.kind]}</p>
        <PlaceFields
          {...{ draft, environments, problems }}
          onChange={(places) => moveTo({ places })}
        />
        {draft.kind === "variants" ? (
          <VariantFields
            variants={draft.variants}
            offer={offer}
            problems={problems}
            onChange={(variants) => change({ variants })}
          />
        ) : (
          <BaseFields
            base={draft.base}
            offer={offer}
            onChange={(base) => change(withBase(draft, offer, base))}
          />
        )}
        {draft.kind === "grid" && (
          <TypedFields
            legend="Every combination of"
            fields={fields}
            typed={draft.grid}
            several
            problemOf={(name) => problemAt(problems, POINTERS.grid(name))}
            onChange={(grid) => change({ grid })}
          />
        )}
        {draft.kind === "search" && (
          <SweepFields
            sweep={draft.sweep}
            fields={fields}
            problems={problems}
            onChange={(changes) => change({ sweep: { ...draft.sweep, ...changes } })}
          />
        )}
        <LengthFields {...{ draft, problems }} onChange={change} />
        <FairnessNotes found={unfairnessOf(draft, offer)} onMend={change} />
        <Field
          label="Name"
          hint="Empty: made from what is compared."
          error={problemAt(problems, POINTERS.name)}
        >
          {(control) => (
            <input
              {...control}
              className={controlClass}
              autoComplete="off"
              maxLength={limits.run_name.maximum}
              value={draft.name}
              onChange={({ currentTarget: { value } }) => change({ name: value })}
            />
          )}
        </Field>
        <AdvancedFields
          {...{ limits, problems, advanced: draft.advanced }}
          searches={draft.kind === "search"}
          onChange={(changes) => change({ advanced: { ...draft.advanced, ...changes } })}
        />
        <SinkDisclosure
          className="rounded-md border border-line px-3 py-1"
          chosen={draft.sinks}
          onChange={(sinks) => change({ sinks })}
        />
      </div>
    </Dialog>
  );
}

const HELP: Record<Kind, string> = {
  variants: "Each line is trained with the same seeds, and compared.",
  grid: "Every combination of the values is trained with the same seeds, and compared.",
  search: "Optuna proposes values one trial after the other, by how earlier ones did.",
};
