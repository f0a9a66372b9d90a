"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { environmentsQuery } from "@/api/choices";
import type { RunDetail, SessionHello } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import type { DrawnSpace } from "@/player/reading/space";

/** The spaces of a run's environment: the registry's, which have names and units, or those that the session tells. */
export function useSpaces(
  { env_id, config }: Pick<RunDetail, "env_id" | "config">,
  hello: SessionHello | null,
): { action: DrawnSpace; observation: DrawnSpace } | null {
  const { data } = useQuery(environmentsQuery);
  return useMemo(() => {
    const known = environmentOfRun(data, config ?? { env_id });
    const action = known?.action_space ?? hello?.action_space;
    const observation = known?.observation_space ?? hello?.observation_space;
    if (!action || !observation) return null;
    const bounds = hello?.action_bounds;
    const low = bounds?.map(([least]) => least ?? null);
    const high = bounds?.map(([, greatest]) => greatest ?? null);
    return { action: { ...action, low, high }, observation };
  }, [data, env_id, config, hello]);
}
