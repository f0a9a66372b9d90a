"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { patchRun } from "@/api/runs";
import type { PatchRun, RunDetail } from "@/api/types";
import { toast } from "@/ui/toast";

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
