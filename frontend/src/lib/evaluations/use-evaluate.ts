"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type CreateEvaluation, type Evaluation, evaluate, keys } from "@/lib/api";

export function useEvaluate(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: CreateEvaluation) => evaluate(runId, wanted),
    onSuccess: (evaluation) =>
      // The stream may have been faster than this answer.
      client.setQueryData<Evaluation[]>(keys.evaluations(runId), (old = []) =>
        old.some(({ id }) => id === evaluation.id) ? old : [evaluation, ...old],
      ),
    // A refusal may be about one that this page has not heard of.
    onError: () => void client.invalidateQueries({ queryKey: keys.evaluations(runId) }),
  });
}
