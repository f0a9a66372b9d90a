"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { StatusBadge } from "@/components/ui/status-badge";
import { runSearchQuery } from "@/lib/api";
import { useAlgorithmName } from "@/lib/registry";
import { routes } from "@/lib/url";
import { PaletteGroup, PaletteItem } from "./palette-item";

const RECENT = 4;
const FOUND = 8;

interface PaletteRunsProps {
  text: string;
  /** What the service was last asked for; it follows `text`. */
  searched: string;
  go: (href: string) => void;
}

/** Runs whose name fits what is typed; before that, the newest. */
export function PaletteRuns({ text, searched, go }: PaletteRunsProps) {
  const { data, error } = useQuery({
    ...runSearchQuery(searched, FOUND),
    placeholderData: keepPreviousData,
  });
  const algorithmName = useAlgorithmName();
  const runs = data?.runs ?? [];
  const searching = text.trim() !== "";
  if (error)
    return <p className="px-2.5 py-2 text-sm text-ink-soft">Runs cannot be searched now.</p>;
  if (runs.length === 0) return null;
  return (
    <PaletteGroup heading={searching ? "Runs" : "Recent runs"}>
      {runs.slice(0, searching ? FOUND : RECENT).map((run) => (
        <PaletteItem
          key={run.id}
          // The service found it already: it fits whatever is typed. Only another value is matched anew.
          value={`run ${run.id} ${text}`}
          icon={Activity}
          onSelect={() => go(routes.run(run.id))}
          aside={<StatusBadge status={run.status} />}
        >
          {run.name}
          <span className="ml-2 text-xs text-ink-faint">
            {algorithmName(run.algo)} · {run.env_id}
          </span>
        </PaletteItem>
      ))}
    </PaletteGroup>
  );
}
