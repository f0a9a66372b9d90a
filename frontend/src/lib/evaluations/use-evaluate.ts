"use client";

import { useMutation } from "@tanstack/react-query";
import type { CreateEvaluation } from "@/lib/api";
import { useRunActions } from "@/lib/run-actions";

/** Evaluation as a mutation, for a place that shows its progress and its refusal itself. */
export function useEvaluate(runId: string) {
  const { evaluate } = useRunActions();
  return useMutation({ mutationFn: (wanted: CreateEvaluation) => evaluate(runId, wanted) });
}
