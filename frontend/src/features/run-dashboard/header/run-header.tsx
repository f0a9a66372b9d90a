import Link from "next/link";
import { ChevronRight } from "lucide-react";
import { StatusBadge } from "@/components/ui/status-badge";
import type { RunDetail } from "@/lib/api";
import { routes } from "@/lib/url";
import { RunActions } from "./run-actions";
import type { DeleteRun } from "./use-run-actions";

export function RunHeader({ run, remove }: { run: RunDetail; remove: DeleteRun }) {
  const facts = [run.algo.toUpperCase(), run.env_id, run.preset, `seed ${run.seed}`];
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <nav aria-label="Breadcrumb" className="flex items-center gap-1 text-xs text-ink-faint">
          <Link href={routes.home} className="rounded-sm hover:text-ink">
            Runs
          </Link>
          <ChevronRight aria-hidden className="size-3" />
          <span className="truncate font-mono">{run.id}</span>
        </nav>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight break-words">{run.name}</h1>
          <span role="status" aria-label={`Status: ${run.status}`} className="flex">
            <StatusBadge status={run.status} />
          </span>
        </div>
        <p className="mt-0.5 text-sm text-ink-soft">{facts.filter(Boolean).join(" · ")}</p>
      </div>
      <RunActions run={run} remove={remove} />
    </div>
  );
}
