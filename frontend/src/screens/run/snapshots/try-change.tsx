"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { algorithmsQuery, useLimits } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { createRun, isGreedy } from "@/api/runs";
import { runSinksQuery } from "@/api/sinks";
import { snapshotsQuery } from "@/api/snapshots";
import type { CreateRun, Hint, RunConfig, RunDetail, RunSnapshots } from "@/api/types";
import { parseHyperparameter } from "@/forms/parse";
import { SchemaField } from "@/forms/schema-field";
import { setting, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { ForkDialog } from "./fork-dialog";

interface TryChangeProps {
  run: RunDetail;
  hint: Hint;
  change: Hint["changes"][number];
  onClose: () => void;
}

/**
 * Forks the run with the suggested change of a hint, and opens the comparison of the two. Without a snapshot to fork
 * at, it starts a new run instead. A hint with a suggested change exists only if the configuration can be read.
 */
export function TryChange({ run, hint, change, onClose }: TryChangeProps) {
  const { data, error, refetch } = useQuery(snapshotsQuery(run.id));
  const at = data && placeToTry(data, hint.from_step);
  if (at !== undefined) return <ForkDialog {...{ run, at, onClose }} tries={change} />;
  if (data && run.config !== null) {
    return <TryAnew {...{ run, change, onClose }} config={run.config} />;
  }
  return (
    <Dialog open onOpenChange={onClose} title={`Try another ${change.name}`}>
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : data ? (
        <p className="text-sm text-ink-soft">The configuration of this run cannot be read.</p>
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  );
}

/**
 * The step at which the hint's finding begins: the fork retrains the run to it from the newest earlier snapshot.
 * Otherwise the first snapshot.
 */
export function placeToTry({ snapshots }: RunSnapshots, from: number) {
  const usable = snapshots.filter(({ whole, behind }) => whole && !behind);
  return usable.some(({ step }) => step <= from) ? from : usable[0];
}

interface TryAnewProps {
  run: RunDetail;
  config: RunConfig;
  change: Hint["changes"][number];
  onClose: () => void;
}

/** For a run without a snapshot to fork at: starts a new run with the change, and opens the comparison of the two. */
function TryAnew({ run, config, change, onClose }: TryAnewProps) {
  const { name } = change;
  const router = useRouter();
  const client = useQueryClient();
  const algorithms = useQuery(algorithmsQuery);
  const sinks = useQuery(runSinksQuery(run.id));
  const longestName = useLimits()?.run_name.maximum;
  const [typed, setTyped] = useState<string | null>(setting(change.value));
  const own = config.hyperparameters[name];
  const schema = algorithms.data
    ?.find(({ id }) => id === run.algo)
    ?.hyperparameters.find((one) => one.name === name);
  const parsed = schema && parseHyperparameter(schema, typed ?? setting(own));
  const start = useMutation({
    mutationFn: (value: unknown) =>
      createRun({
        ...repeated(run, config, { [name]: value }, longestName),
        sinks: sinks.data?.sinks.filter(({ live }) => live).map(({ kind }) => kind) ?? [],
      }),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: keys.runs });
      router.push(routes.compareRuns([run.id, id]));
    },
  });
  const failure = start.error ?? algorithms.error ?? sinks.error;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={`Try another ${name}`}
      description="This run has no snapshot that a fork could begin from. A new run trains from the beginning, with its seed and all its other settings; then the two are compared."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            needsService
            busy={start.isPending || start.isSuccess}
            disabled={!parsed?.ok || sinks.isPending}
            onClick={() => parsed?.ok && start.mutate(parsed.value)}
          >
            Start a new run
          </Button>
        </>
      }
    >
      {schema ? (
        <SchemaField
          schema={schema}
          typed={typed ?? undefined}
          own={own}
          owner="this run"
          error={parsed?.ok === false ? parsed.problem : undefined}
          onChange={(value) => {
            start.reset();
            setTyped(value);
          }}
        />
      ) : (
        !failure && <Skeleton className="h-16" />
      )}
      {failure && (
        <p role="alert" className="mt-3 text-sm text-bad">
          {explainAction(failure)}
        </p>
      )}
    </Dialog>
  );
}

/** The request for a run with the configuration of this one and `changes`, which are part of its name if they fit. */
function repeated(
  run: RunDetail,
  config: RunConfig,
  changes: Readonly<Record<string, unknown>>,
  longestName: number | undefined,
): CreateRun {
  const suffixes = Object.entries(changes).map(
    ([name, value]) => `, ${name} ${settingText(value)}`,
  );
  const { algo, env_id, env_options, preset, seed, total_timesteps } = config;
  return {
    ...{ algo, env_id, env_options, preset, seed, total_timesteps },
    name: `${run.name}${suffixes.join("")}`.slice(0, longestName),
    hyperparameters: { ...config.hyperparameters, ...changes } as CreateRun["hyperparameters"],
    // Left out, actions would be chosen as in the evaluations of the preset.
    evaluation: { ...config.evaluation, deterministic: isGreedy({ config }) },
    snapshots: config.snapshots,
    anatomy: config.anatomy,
    ...(config.exploration && { exploration: config.exploration }),
    ...(config.reward && { reward: config.reward }),
    rules: config.rules,
    start: true,
  };
}
