"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { ApiError, CreateRun, Run } from "@/lib/api";
import { createGroup, createRun, keys } from "@/lib/api";
import { routes } from "@/lib/url";

interface WantedRuns {
  body: CreateRun;
  /** Runs to create, each with a seed of its own; default 1. */
  count?: number;
}

/** Creates and starts a run and opens its page; for several seeds, opens their comparison. */
export function useCreateRun() {
  const client = useQueryClient();
  const router = useRouter();
  return useMutation<Run[], ApiError, WantedRuns>({
    mutationFn: async ({ body, count = 1 }) =>
      count > 1 ? (await createGroup({ ...body, seeds: [], count })).runs : [await createRun(body)],
    onSuccess: (runs) => {
      const [first, ...others] = runs;
      void client.invalidateQueries({ queryKey: keys.runs });
      if (!first) return;
      if (others.length > 0) return router.push(routes.compareRuns(runs.map(({ id }) => id)));
      client.setQueryData(keys.run(first.id), first);
      router.push(routes.run(first.id));
    },
  });
}
