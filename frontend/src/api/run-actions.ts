"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { evaluate } from "./evaluations";
import { keys } from "./keys";
import {
  deleteRun,
  moveInQueue,
  patchRun,
  pauseRun,
  repairRun,
  restoreRun,
  resumeRun,
  rollBackRun,
  startRun,
  stopRun,
} from "./runs";
import type {
  CreateEvaluation,
  Evaluation,
  PatchRun,
  QueueMove,
  ResumeRun,
  Run,
  RunDetail,
} from "./types";

/**
 * The actions on runs, each with its changes to the query cache. If the service refuses, a function rejects with the
 * reason and reloads data that may be out of date. `whyNot` says when each action is possible.
 */
function runActions(client: QueryClient) {
  const refresh = (...queryKeys: (readonly unknown[])[]) => {
    for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey });
  };
  /** The stream may already have delivered a later status than this response, so the run is requested again. */
  const changeStatus = async (id: string, ask: (id: string) => Promise<Run>): Promise<Run> => {
    try {
      const run = await ask(id);
      client.setQueryData<RunDetail>(keys.run(id), (old) => old && { ...old, ...run });
      return run;
    } finally {
      void client.invalidateQueries({ queryKey: keys.run(id), exact: true });
      refresh(keys.runs);
    }
  };

  return {
    start: (id: string) => changeStatus(id, startRun),
    stop: (id: string) => changeStatus(id, stopRun),
    pause: (id: string) => changeStatus(id, pauseRun),
    resume: (id: string, wanted: ResumeRun = {}) =>
      changeStatus(id, (run) => resumeRun(run, wanted)),
    moveInQueue: (id: string, place: QueueMove) =>
      changeStatus(id, (run) => moveInQueue(run, place)),
    rollBack: (id: string, snapshot: string) =>
      changeStatus(id, (run) => rollBackRun(run, { snapshot })),

    async evaluate(id: string, wanted: CreateEvaluation): Promise<Evaluation> {
      try {
        const evaluation = await evaluate(id, wanted);
        // The stream may have been faster than this response. A list that was never loaded stays
        // unloaded.
        client.setQueryData<Evaluation[]>(keys.evaluations(id), (old) =>
          !old || old.some((other) => other.id === evaluation.id) ? old : [evaluation, ...old],
        );
        return evaluation;
      } catch (error) {
        // The refusal may be due to an evaluation that this page does not know of.
        refresh(keys.evaluations(id));
        throw error;
      }
    },

    async relabel(id: string, labels: PatchRun): Promise<RunDetail> {
      const run = await patchRun(id, labels);
      refresh(keys.runs, keys.run(id), keys.tags);
      return run;
    },

    async remove(id: string): Promise<void> {
      try {
        await deleteRun(id);
      } finally {
        refresh(keys.runs, keys.tags, keys.trash);
      }
    },

    /** Repairs a damaged run: keeps what can be read. */
    async repair(id: string): Promise<Run> {
      try {
        return await repairRun(id);
      } finally {
        refresh(keys.runs, keys.run(id));
      }
    },

    /** Restores a deleted run. */
    async restore(id: string): Promise<Run> {
      try {
        return await restoreRun(id);
      } finally {
        refresh(keys.runs, keys.run(id), keys.tags, keys.trash);
      }
    },
  };
}

export type RunActions = ReturnType<typeof runActions>;

/** The actions, for places that report the outcome themselves. Most places use `useRunActionsWithToasts`. */
export function useRunActions(): RunActions {
  const client = useQueryClient();
  return useMemo(() => runActions(client), [client]);
}
