"use client";

import { X } from "lucide-react";
import Link from "next/link";
import { useAlgorithmName } from "@/api/choices";
import type { Run } from "@/api/types";
import { routes } from "@/lib/routes";
import { StatusBadge } from "@/ui/badge";
import type { SeriesStyles } from "./series-styles";
import { Swatch } from "./swatch";

interface RunChipsProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  onRemove: (id: string) => void;
}

/** The compared runs with the line of each, a link to its page, and a button to remove it. */
export function RunChips({ runs, seriesStyles, onRemove }: RunChipsProps) {
  const algorithmName = useAlgorithmName();
  return (
    <ul
      aria-label="Compared runs"
      className="-m-1 flex max-h-31 min-w-0 grow basis-0 flex-wrap gap-2 overflow-y-auto p-1 max-sm:order-last max-sm:basis-full"
    >
      {runs.map((run) => (
        <li
          key={run.id}
          className="flex max-w-full min-w-0 items-center gap-2 rounded-md border border-line bg-surface py-1 pr-1 pl-2.5 text-sm"
        >
          <Swatch seriesStyle={seriesStyles.get(run.id)} />
          <Link
            href={routes.run(run.id)}
            title={run.name}
            className="min-w-0 truncate rounded-sm font-medium hover:text-accent"
          >
            {run.name}
          </Link>
          <span className="shrink-0 text-xs text-ink-faint max-sm:hidden">
            {algorithmName(run.algo)} · {run.env_id}
          </span>
          <StatusBadge status={run.status} />
          <button
            type="button"
            aria-label={`Remove ${run.name}`}
            onClick={() => onRemove(run.id)}
            className="grid size-7 shrink-0 place-items-center rounded-md text-ink-faint hover:bg-rest-tint hover:text-ink max-md:size-9"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}
