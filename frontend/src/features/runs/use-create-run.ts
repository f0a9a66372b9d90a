"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { ApiError } from "@/lib/api";
import { createRun, keys } from "@/lib/api";
import { routes } from "@/lib/url";

/** Creates and starts a run, then opens its page. */
export function useCreateRun() {
  const client = useQueryClient();
  const router = useRouter();
  return useMutation<
    Awaited<ReturnType<typeof createRun>>,
    ApiError,
    Parameters<typeof createRun>[0]
  >({
    mutationFn: createRun,
    onSuccess: (run) => {
      client.setQueryData(keys.run(run.id), run);
      void client.invalidateQueries({ queryKey: keys.runs });
      router.push(routes.run(run.id));
    },
  });
}
