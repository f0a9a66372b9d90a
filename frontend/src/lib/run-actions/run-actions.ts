import type { QueryClient } from "@tanstack/react-query";
import {
  type CreateEvaluation,
  deleteRun,
  type Evaluation,
  evaluate,
  keys,
  patchRun,
  repairRun,
  type PatchRun,
  restoreRun,
  type Run,
  type RunDetail,
  startRun,
  stopRun,
} from "@/lib/api";

/**
 * What can be done to a run, each with what it changes in the query cache. Every function rejects with the
 * service's refusal, and reads anew what is in doubt after one. When each is possible is said by `whyNot`.
 */
export function runActions(client: QueryClient) {
  const refresh = (...queryKeys: (readonly unknown[])[]) => {
    for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey });
  };
  /** The stream may have told of a later status than this answer: the service is asked once more. */
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

    async evaluate(id: string, wanted: CreateEvaluation): Promise<Evaluation> {
      try {
        const evaluation = await evaluate(id, wanted);
        // The stream may have been faster than this answer; a list that nobody has read stays unread.
        client.setQueryData<Evaluation[]>(keys.evaluations(id), (old) =>
          !old || old.some((other) => other.id === evaluation.id) ? old : [evaluation, ...old],
        );
        return evaluation;
      } catch (error) {
        // The refusal may be about an evaluation that this page has not heard of.
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

    /** Keeps what can be read of a damaged run. */
    async repair(id: string): Promise<Run> {
      try {
        return await repairRun(id);
      } finally {
        refresh(keys.runs, keys.run(id));
      }
    },

    /** Brings a deleted run back. */
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
