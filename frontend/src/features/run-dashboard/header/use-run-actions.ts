"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { deleteRun, keys, type Run, type RunDetail, startRun, stopRun } from "@/lib/api";
import { routes } from "@/lib/url";

export function useRunActions({ id }: Run) {
  const client = useQueryClient();
  const router = useRouter();
  const merge = (run: Run) =>
    client.setQueryData<RunDetail>(keys.run(id), (old) => old && { ...old, ...run });
  // The stream may have told of a later status than this answer; the service has the last word.
  const refresh = () => client.invalidateQueries({ queryKey: keys.run(id), exact: true });

  const start = useMutation({
    mutationFn: () => startRun(id),
    onSuccess: merge,
    onSettled: refresh,
  });
  const stop = useMutation({ mutationFn: () => stopRun(id), onSuccess: merge, onSettled: refresh });
  const remove = useMutation({
    mutationFn: () => deleteRun(id),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.runs });
      router.push(routes.home);
    },
  });
  return { start, stop, remove, error: start.error ?? stop.error ?? remove.error };
}
