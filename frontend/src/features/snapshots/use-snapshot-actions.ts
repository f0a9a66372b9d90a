"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { useRunActions } from "@/api/run-actions";
import { deleteSnapshot, takeSnapshot } from "@/api/snapshots";
import type { CreateSnapshot } from "@/api/types";
import type { ConfirmedAction } from "./snapshot-text";

/** Does something with a snapshot, and loads the list anew: a refusal may be due to what the page does not know. */
export function useSnapshotAction(run: string, action: ConfirmedAction, snapshot: string) {
  const { resume, rollBack } = useRunActions();
  const refresh = useRefresh(run);
  const act = {
    resume: () => resume(run, { snapshot }),
    rollback: () => rollBack(run, snapshot),
    delete: () => deleteSnapshot(run, snapshot),
  }[action];
  return useMutation<unknown>({ mutationFn: act, onSettled: refresh });
}

/** Asks for a snapshot, which is taken at the start of the next rollout. */
export function useTakeSnapshot(run: string) {
  return useMutation<unknown, Error, CreateSnapshot>({
    mutationFn: (wanted) => takeSnapshot(run, wanted),
    onSettled: useRefresh(run),
  });
}

function useRefresh(run: string) {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: keys.snapshots(run) });
}
