"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { createElement } from "react";
import { useAlgorithmName } from "@/api/choices";
import { runSearchQuery } from "@/api/runs";
import { routes } from "@/lib/routes";
import { StatusBadge } from "@/ui/badge";
import type { PaletteEntry } from "./palette-item";

const RECENT = 4;
const FOUND = 8;

/** Entries for runs: those that the service finds for `searched`, or the newest while nothing is typed. */
export function useRunEntries(
  typed: string,
  searched: string,
  go: (href: string) => void,
): { entries: PaletteEntry[]; error: Error | null } {
  const { data, error } = useQuery({
    ...runSearchQuery(searched, FOUND),
    placeholderData: keepPreviousData,
  });
  const algorithmName = useAlgorithmName();
  const searching = typed.trim() !== "";
  const entries = (data?.runs ?? []).slice(0, searching ? FOUND : RECENT).map((run) => ({
    id: `run ${run.id}`,
    group: searching ? "Runs" : "Recent runs",
    icon: Activity,
    name: run.name,
    // The service found it, possibly by its tags or notes, so it counts as a match for the text.
    words: [typed],
    detail: `${algorithmName(run.algo)} · ${run.env_id}`,
    aside: createElement(StatusBadge, { status: run.status }),
    onSelect: () => go(routes.run(run.id)),
  }));
  return { entries, error };
}
