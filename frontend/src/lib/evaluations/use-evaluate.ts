"use client";

import { useMutation } from "@tanstack/react-query";
import type { CreateEvaluation } from "../api/types";
import { useRunActions } from "../run-actions/use-run-actions";

/** A mutation that starts an evaluation, for places that show its progress and errors themselves. */
export function useEvaluate(runId: string) {
  const { evaluate } = useRunActions();
  return useMutation({ mutationFn: (wanted: CreateEvaluation) => evaluate(runId, wanted) });
}
