"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { SinkDisclosure } from "@/components/sink-choice";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Field } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { Segmented } from "@/components/ui/segmented";
import { Select } from "@/components/ui/select";
import { Skeleton } from "@/components/ui/skeleton";
import {
  type Algorithm,
  algorithmsQuery,
  ApiError,
  createExperiment,
  type Environment,
  environmentsQuery,
  explainAction,
} from "@/lib/api";
import { compact, plural } from "@/lib/format";
import { routes } from "@/lib/url";
import { BaseFields } from "./base-fields";
import {
  enter,
  type ExperimentDraft,
  fieldsOf,
  FIRST,
  type Kind,
  offerIn,
  withBase,
} from "./draft";
import { LengthFields } from "./length-fields";
import { readDraft } from "./specification";
import { SweepFields } from "./sweep-fields";
import { TypedFields } from "./typed-fields";
import { VariantFields } from "./variant-fields";

const KINDS = [
  { value: "variants", label: "Variants" },
  { value: "grid", label: "Grid" },
  { value: "search", label: "Search" },
] as const;

/** The form of a new experiment, once it is known what can be chosen. */
export function NewExperiment({ onClose }: { onClose: () => void }) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  if (algorithms.data && environments.data) {
    return <Form algorithms={algorithms.data} environments={environments.data} onClose={onClose} />;
  }
  const failed = [algorithms, environments].find(({ error }) => error);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="New experiment">
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

interface FormProps {
  algorithms: readonly Algorithm[];
  environments: readonly Environment[];
  onClose: () => void;
}

/** What is varied, where, with how many seeds, and what it costs. */
function Form({ algorithms, environments, onClose }: FormProps) {
  const router = useRouter();
  const [draft, setDraft] = useState<ExperimentDraft>(FIRST);
  const create = useMutation({
    mutationFn: (confirm: boolean) =>
      createExperiment({ ...specification, sinks: [...draft.sinks], confirm }),
    onSuccess: ({ id }) => router.push(routes.experiment(id)),
  });
  const change = (changes: Partial<ExperimentDraft>) => {
    create.reset();
    setDraft((before) => ({ ...before, ...changes }));
  };
  const offer = offerIn(environments, algorithms, draft.env);
  const fields = fieldsOf(offer, draft.base.algo);
  const { specification, problems, runs, steps } = readDraft(draft, offer);
  const choose = (kind: Kind) =>
    change(kind === "search" ? { ...withBase(draft, offer, draft.base), kind } : { kind });
  const refused = create.error instanceof ApiError ? create.error.fields : [];
  const stepsProblem = refused.find(({ pointer }) => pointer.endsWith("/total_timesteps"));
  const asksBack = refused.find(({ pointer }) => pointer === "/confirm");
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New experiment"
      footer={
        <>
          <span className="mr-auto text-xs text-ink-soft tabular-nums" role="status">
            {plural(runs, "run")}
            {steps !== null && `, ${compact(steps)} steps together`}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            needsService
            busy={create.isPending}
            disabled={problems.size > 0 || (draft.kind === "variants" && !draft.variants.length)}
            onClick={() => create.mutate(asksBack !== undefined)}
          >
            {asksBack ? "Start all the same" : "Start"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Segmented
          legend="What is varied"
          className="self-start"
          options={KINDS}
          value={draft.kind}
          onChange={choose}
        />
        <p className="-mt-2 text-xs text-ink-faint">{HELP[draft.kind]}</p>
        <Field label="Environment">
          {(control) => (
            <Select
              {...control}
              value={draft.env}
              onChange={({ currentTarget: { value } }) =>
                change(enter(draft, value, offerIn(environments, algorithms, value)))
              }
            >
              {environments.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
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
            problemOf={(name) => problems.get(`grid/${name}`)}
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
        <LengthFields
          draft={draft}
          problem={stepsProblem?.detail ?? problems.get("steps")}
          onChange={change}
        />
        <SinkDisclosure chosen={draft.sinks} onChange={(sinks) => change({ sinks })} />
        {asksBack ? (
          <Notice tone="warn" role="alert" title="That is much">
            <p>{asksBack.detail.replace(/ Say `confirm.*$/, "")}</p>
          </Notice>
        ) : (
          create.error &&
          !stepsProblem && (
            <Notice tone="bad" role="alert" title="The experiment was not started">
              <p>{explainAction(create.error)}</p>
            </Notice>
          )
        )}
      </div>
    </Dialog>
  );
}

const HELP: Record<Kind, string> = {
  variants: "Each line is trained with the same seeds, and compared.",
  grid: "Every combination of the values is trained with the same seeds, and compared.",
  search: "Optuna proposes values one trial after the other, by how earlier ones did.",
};
