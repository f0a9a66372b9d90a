"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import {
  deleteRun,
  keys,
  type Run,
  type RunDetail,
  type RunStatus,
  startRun,
  stopRun,
} from "@/lib/api";
import { routes } from "@/lib/url";

/** Deletes a run and goes to the list. Belongs to the page: the run's own parts go before it has left. */
export function useDeleteRun(id: string) {
  const client = useQueryClient();
  const router = useRouter();
  return useMutation<unknown, Error, RunStatus>({
    mutationFn: () => deleteRun(id),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.runs });
      router.push(routes.home);
    },
  });
}

export type DeleteRun = ReturnType<typeof useDeleteRun>;

/** Every action is asked under a status; its error is over when the run has another. */
export function useRunActions({ id, status }: Run, remove: DeleteRun) {
  const client = useQueryClient();
  const merge = (run: Run) =>
    client.setQueryData<RunDetail>(keys.run(id), (old) => old && { ...old, ...run });
  // The stream may have told of a later status than this answer; the service has the last word.
  const refresh = () => client.invalidateQueries({ queryKey: keys.run(id), exact: true });

  const start = useMutation<Run, Error, RunStatus>({
    mutationFn: () => startRun(id),
    onSuccess: merge,
    onSettled: refresh,
  });
  const stop = useMutation<Run, Error, RunStatus>({
    mutationFn: () => stopRun(id),
    onSuccess: merge,
    onSettled: refresh,
  });
  const latest = [start, stop, remove].reduce((a, b) => (b.submittedAt > a.submittedAt ? b : a));
  return { start, stop, error: latest.variables === status ? latest.error : null };
}
