"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { createElement } from "react";
import { StatusBadge } from "@/components/ui/status-badge";
import { runSearchQuery } from "@/lib/api";
import { useAlgorithmName } from "@/lib/registry";
import { routes } from "@/lib/url";
import type { PaletteEntry } from "./palette-item";

const RECENT = 4;
const FOUND = 8;

/** Runs that fit what is typed; before that, the newest. `searched` is what the service is asked for. */
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
    // The service found it, by its tags or notes for instance: it fits whatever was typed.
    words: [typed],
    detail: `${algorithmName(run.algo)} · ${run.env_id}`,
    aside: createElement(StatusBadge, { status: run.status }),
    onSelect: () => go(routes.run(run.id)),
  }));
  return { entries, error };
}
