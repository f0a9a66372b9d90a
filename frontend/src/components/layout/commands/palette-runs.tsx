"use client";

import { useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { StatusBadge } from "@/components/ui/status-badge";
import { runSearchQuery } from "@/lib/api";
import { routes } from "@/lib/url";
import { PaletteGroup, PaletteItem } from "./palette-item";

const RECENT = 4;
const FOUND = 8;

interface PaletteRunsProps {
  text: string;
  go: (href: string) => void;
}

/** Runs whose name fits what is typed; before that, the newest. */
export function PaletteRuns({ text, go }: PaletteRunsProps) {
  const { data: runs = [], error } = useQuery(runSearchQuery(text));
  const searching = text.trim() !== "";
  if (error)
    return <p className="px-2.5 py-2 text-sm text-ink-soft">Runs cannot be searched now.</p>;
  if (runs.length === 0) return null;
  return (
    <PaletteGroup heading={searching ? "Runs" : "Recent runs"}>
      {runs.slice(0, searching ? FOUND : RECENT).map((run) => (
        <PaletteItem
          key={run.id}
          value={`run ${run.id}`}
          icon={Activity}
          found
          onSelect={() => go(routes.run(run.id))}
          aside={<StatusBadge status={run.status} />}
        >
          {run.name}
          <span className="ml-2 text-xs text-ink-faint">
            {run.algo.toUpperCase()} · {run.env_id}
          </span>
        </PaletteItem>
      ))}
    </PaletteGroup>
  );
}
