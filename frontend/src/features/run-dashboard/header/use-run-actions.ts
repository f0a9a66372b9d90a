"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { toast } from "@/components/ui/toast";
import {
  deleteRun,
  evaluate,
  explainAction,
  keys,
  restoreRun,
  type Run,
  type RunDetail,
  type RunStatus,
  startRun,
  stopRun,
} from "@/lib/api";
import { usualPolicy } from "@/lib/evaluations";
import { routes } from "@/lib/url";
import { PLAYBACK_ANCHOR } from "../playback-anchor";

/**
 * Deletes a run, goes to the list and offers to bring it back. Belongs to the page: the run's own parts go
 * before it has left.
 */
export function useDeleteRun(id: string) {
  const client = useQueryClient();
  const router = useRouter();
  const changed = () => void client.invalidateQueries({ queryKey: keys.runs });
  const restore = () =>
    restoreRun(id).then(
      () => {
        changed();
        toast({ title: "Run restored", tone: "good" });
      },
      (error: Error) => toast({ title: explainAction(error), tone: "bad" }),
    );
  return useMutation<unknown, Error, RunStatus>({
    mutationFn: () => deleteRun(id),
    onSuccess: () => {
      changed();
      router.push(routes.home);
      toast({ title: "Run deleted", action: { label: "Undo", onAction: () => void restore() } });
    },
  });
}

export type DeleteRun = ReturnType<typeof useDeleteRun>;

/** Every action is asked under a status; its error is over when the run has another. */
export function useRunActions(run: Run, remove: DeleteRun) {
  const { id, status } = run;
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
  const watch = useMutation<unknown, Error, RunStatus>({
    mutationFn: () => evaluate(id, { policy: usualPolicy(run) }),
    onMutate: () => document.getElementById(PLAYBACK_ANCHOR)?.scrollIntoView({ block: "nearest" }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.evaluations(id) }),
  });
  const all = [start, stop, watch, remove];
  const latest = all.reduce((a, b) => (b.submittedAt > a.submittedAt ? b : a));
  return { start, stop, watch, error: latest.variables === status ? latest.error : null };
}
