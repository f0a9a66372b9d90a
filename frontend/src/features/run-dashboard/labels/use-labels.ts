"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/store";
import { keys } from "@/lib/api/keys";
import { explainAction } from "@/lib/api/problem";
import { patchRun } from "@/lib/api/queries/run-actions";
import type { PatchRun, RunDetail } from "@/lib/api/types";

/** Changes name, tags or notes: shown at once, and undone if the service refuses. */
export function useLabels(id: string) {
  const client = useQueryClient();
  return useMutation<RunDetail, Error, PatchRun, RunDetail | undefined>({
    mutationFn: (labels) => patchRun(id, labels),
    onMutate: (labels) => {
      const before = client.getQueryData<RunDetail>(keys.run(id));
      client.setQueryData<RunDetail>(keys.run(id), (old) => old && { ...old, ...labels });
      return before;
    },
    onError: (error, _, before) => {
      client.setQueryData(keys.run(id), before);
      toast({ title: explainAction(error), tone: "bad" });
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.runs });
      void client.invalidateQueries({ queryKey: keys.tags });
    },
  });
}
