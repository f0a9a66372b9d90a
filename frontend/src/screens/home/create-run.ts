"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { ApiError } from "@/api/http";
import { keys } from "@/api/keys";
import { createGroup, createRun } from "@/api/runs";
import type { CreateRun, Run } from "@/api/types";
import { routes } from "@/lib/routes";

interface WantedRuns {
  body: CreateRun;
  /** One run for each of these seeds; if empty, for `count` of them, by default one. */
  seeds?: readonly number[];
  count?: number;
}

/** Creates and starts a run and opens its page; for several seeds, opens their comparison. */
export function useCreateRun() {
  const client = useQueryClient();
  const router = useRouter();
  return useMutation<Run[], ApiError, WantedRuns>({
    mutationFn: async ({ body, seeds = [], count = 1 }) => {
      if (count === 1) return [await createRun(body)];
      const wanted = seeds.length > 0 ? { seed: null, seeds: [...seeds] } : { seeds: [], count };
      return (await createGroup({ ...body, ...wanted })).runs;
    },
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
