"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { algorithmsQuery } from "../api/queries/choices";

/** Where others say what they learn by, a run in which a person plays says so; nobody can choose it. */
export const HUMAN = { id: "human", name: "Human", title: "Played by hand" };

/**
 * Returns a function from an algorithm's id to its name; the id itself if the service does not offer it, or
 * while it loads.
 */
export function useAlgorithmName(): (id: string) => string {
  const { data } = useQuery(algorithmsQuery);
  return useCallback(
    (id: string) =>
      [...(data ?? []), HUMAN].find((algorithm) => algorithm.id === id)?.name ?? id.toUpperCase(),
    [data],
  );
}
