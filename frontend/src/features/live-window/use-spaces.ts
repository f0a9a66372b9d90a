"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { DrawnSpace } from "@/components/thoughts";
import { environmentOfRun, environmentsQuery, type RunDetail, type SessionHello } from "@/lib/api";

/** The spaces of a run's environment: the registry's, which have names and units, or those that the session tells. */
export function useSpaces(
  run: Pick<RunDetail, "env_id" | "config">,
  hello: SessionHello | null,
): { action: DrawnSpace; observation: DrawnSpace } | null {
  const { data } = useQuery(environmentsQuery);
  return useMemo(() => {
    const known = environmentOfRun(data, run.config ?? run);
    const action = known?.action_space ?? hello?.action_space;
    const observation = known?.observation_space ?? hello?.observation_space;
    return action && observation ? { action, observation } : null;
  }, [data, run.config, hello]);
}
