"use client";

import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, environmentsQuery, limitsQuery, useAlgorithmName } from "@/api/choices";
import { rulesQuery } from "@/api/rules";
import { runQuery } from "@/api/runs";
import { runSinksQuery } from "@/api/sinks";
import { Sheet } from "@/ui/dialog";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { firstDraft, onEnvironment } from "./draft";
import { draftFromRun, savedDraft } from "./draft-storage";
import { NewRunForm } from "./new-run-form";

interface NewRunPanelProps {
  /** Id of the run to fill the form in from. */
  duplicate: string | null;
  /** The environment to select first; ignored if it is not offered. */
  environment: string | null;
  onClose: () => void;
}

export default function NewRunPanel({ duplicate, environment, onClose }: NewRunPanelProps) {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  const limits = useQuery(limitsQuery);
  const model = useQuery({ ...runQuery(duplicate ?? ""), enabled: duplicate !== null });
  const rules = useQuery({ ...rulesQuery(duplicate ?? ""), enabled: duplicate !== null });
  const sinks = useQuery({ ...runSinksQuery(duplicate ?? ""), enabled: duplicate !== null });
  const needed =
    duplicate === null
      ? [algorithms, environments, limits]
      : [algorithms, environments, limits, model];
  const broken = needed.find(({ error, data }) => error && !data);
  const retry = () => needed.forEach((query) => void query.refetch());
  return (
    <Sheet
      title={duplicate === null ? "New run" : "Duplicate a run"}
      description={
        model.data ? (
          <>
            Copied from <b className="font-medium text-ink">{model.data.name}</b>. Values that
            differ from its preset are marked.
          </>
        ) : (
          "Choose an environment and an algorithm, then start."
        )
      }
      onClose={onClose}
    >
      {algorithms.data &&
      environments.data &&
      limits.data &&
      (duplicate === null ||
        (model.data && (rules.data || rules.error) && (sinks.data || sinks.error))) ? (
        <Form
          choices={{
            algorithms: algorithms.data,
            environments: environments.data,
            limits: limits.data,
          }}
          model={duplicate === null ? null : (model.data ?? null)}
          rules={rules.data?.rules ?? []}
          sinks={sinks.data?.sinks.filter(({ live }) => live).map(({ kind }) => kind) ?? []}
          environment={environment}
        />
      ) : broken?.error ? (
        <ErrorState error={broken.error} retry={retry} retrying={broken.isFetching} />
      ) : (
        <FormSkeleton />
      )}
    </Sheet>
  );
}

interface FormProps {
  choices: Parameters<typeof firstDraft>[0];
  model: Parameters<typeof draftFromRun>[1] | null;
  /** The current rules of the copied run. */
  rules: Parameters<typeof draftFromRun>[2];
  /** The current sinks of the copied run. */
  sinks: Parameters<typeof draftFromRun>[3];
  environment: string | null;
}

function Form({ choices, model, rules, sinks, environment }: FormProps) {
  const algorithmName = useAlgorithmName();
  const copied = model && draftFromRun(choices, model, rules, sinks);
  const kept = copied ?? savedDraft(window.sessionStorage, choices) ?? firstDraft(choices);
  const first = onEnvironment(choices, kept, environment);
  return (
    <>
      {model && !copied && (
        <div className="px-5 pt-4">
          <Notice tone="warn" title="This run cannot be repeated here">
            <p>
              This service does not offer {algorithmName(model.algo)} on {model.env_id}. The form
              shows its defaults instead.
            </p>
          </Notice>
        </div>
      )}
      <NewRunForm choices={choices} first={first} />
    </>
  );
}

function FormSkeleton() {
  return (
    <div role="status" aria-label="Loading the form" className="flex flex-col gap-5 p-5">
      <Skeleton className="h-14" />
      <Skeleton className="h-32" />
      <Skeleton className="h-52" />
      <Skeleton className="h-14" />
      <Skeleton className="h-14" />
    </div>
  );
}
