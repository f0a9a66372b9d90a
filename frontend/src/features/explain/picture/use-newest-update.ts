"use client";

import { useQuery } from "@tanstack/react-query";
import { anatomyQuery } from "@/api/run-record";
import type { UpdateAnatomy } from "@/api/types";

/** The newest update of a run that was looked into; undefined without a run, or where none was. */
export function useNewestUpdate(runId: string | null): UpdateAnatomy | undefined {
  const { data: updates } = useQuery({ ...anatomyQuery(runId ?? ""), enabled: runId !== null });
  return updates?.at(-1);
}
