"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { keys } from "@/api/keys";
import type { Experiment, ExperimentSummary, Run } from "@/api/types";
import { browserTimers, type Timers } from "@/lib/time";
import type { StreamEvent } from "./events";
import { useEventStream } from "./provider";

const EXPERIMENT = keys.experiment("")[0];

/** Milliseconds between requests for data that only the service knows (time left, curves), while runs train. */
export const REFRESH_MS = 5_000;

/** Returns a function that applies a stream event to the cached experiments, so that their pages need not poll. */
export function experimentBridge(
  client: QueryClient,
  timers: Timers,
): (event: StreamEvent) => void {
  const statuses = new Map<string, Run["status"]>();
  const gotOn = new Set<string>();
  let timer: number | null = null;

  const askLater = () => {
    timer ??= timers.set(() => {
      timer = null;
      for (const id of gotOn) void client.invalidateQueries({ queryKey: keys.experiment(id) });
      gotOn.clear();
      void client.invalidateQueries({ queryKey: keys.experiments });
    }, REFRESH_MS);
  };

  const changed = (id: string) => {
    // Results and what a search found follow by themselves where the trials have changed.
    void client.invalidateQueries({ queryKey: keys.experiment(id), exact: true });
    void client.invalidateQueries({ queryKey: keys.experiments });
  };

  function applyRun(run: Run) {
    const isInAnother = statuses.get(run.id) !== run.status;
    statuses.set(run.id, run.status);
    for (const experiment of shown(client)) {
      if (!experiment.cells.some(({ run_id }) => run_id === run.id)) continue;
      if (isInAnother) changed(experiment.id);
      const queryKey = keys.experiment(experiment.id);
      const { dataUpdatedAt: updatedAt, isInvalidated } = client.getQueryState(queryKey)!;
      client.setQueryData<Experiment>(queryKey, withRun(experiment, run), { updatedAt });
      if (isInvalidated) client.getQueryCache().find({ queryKey })?.invalidate();
      gotOn.add(experiment.id);
      askLater();
    }
    const list = client.getQueryData<{ experiments: ExperimentSummary[] }>(keys.experiments);
    if (list?.experiments.some(({ status }) => status === "running")) askLater();
  }

  return (event) => {
    switch (event.kind) {
      case "status":
        return applyRun(event.run);
      case "experiment":
        return changed(event.id);
      case "reopened":
      case "reconnected":
        return askAgain(client);
    }
  };
}

/** Requests all cached experiment data again, because events may have been missed. */
function askAgain(client: QueryClient): void {
  for (const queryKey of [[EXPERIMENT], keys.experiments])
    void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** The experiments themselves, without related data. */
function shown(client: QueryClient): Experiment[] {
  return client
    .getQueriesData<Experiment>({ queryKey: [EXPERIMENT] })
    .flatMap(([key, data]) => (key.length === keys.experiment("").length && data ? [data] : []));
}

/** The experiment with the new progress of a run; ended trials do not change. */
export function withRun(experiment: Experiment, run: Run): Experiment {
  let gained = 0;
  const cells = experiment.cells.map((cell) => {
    if (cell.run_id !== run.id || cell.progress >= 1) return cell;
    const trained = Math.min(1, run.step / Math.max(run.total_timesteps, 1));
    gained += (trained - cell.progress) * run.total_timesteps;
    return { ...cell, trained, progress: trained, sparkline: run.sparkline };
  });
  const progress = Math.min(
    1,
    experiment.progress + gained / Math.max(experiment.total_timesteps, 1),
  );
  return gained === 0 ? experiment : { ...experiment, cells, progress };
}

/** Keeps cached experiments current while the component is shown. */
export function useExperimentEvents(): void {
  const client = useQueryClient();
  const stream = useEventStream();

  // External system: the event stream, which nobody followed for experiments until now.
  useEffect(() => {
    askAgain(client);
    return stream.onEvent(experimentBridge(client, browserTimers));
  }, [client, stream]);
}
