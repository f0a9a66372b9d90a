"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { useAlgorithmName, useRunStill } from "@/api/choices";
import type { RunDetail } from "@/api/types";
import { presetName } from "@/lib/number";
import { routes } from "@/lib/routes";
import { StatusBadge } from "@/ui/badge";
import { EnvironmentStill } from "@/ui/environment-still";
import { ForkedFrom } from "../family/forked-from";
import { TrialOf } from "../family/trial-of";
import { RunNotes } from "../labels/run-notes";
import { RunTags } from "../labels/run-tags";
import { RunTitle } from "../labels/run-title";
import type { RunParts } from "../run-body";
import { HeaderActions } from "./header-actions";
import type { DeleteRun } from "./use-header-actions";

interface RunHeaderProps {
  run: RunDetail;
  remove: DeleteRun;
  Sinks: RunParts["Sinks"];
}

export function RunHeader({ run, remove, Sinks }: RunHeaderProps) {
  const algorithmName = useAlgorithmName();
  const stillUrl = useRunStill(run);
  const preset = run.preset && presetName(run.preset);
  const facts = [algorithmName(run.algo), run.env_id, preset, `seed ${run.seed}`];
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <EnvironmentStill url={stillUrl} className="-mr-2 h-18 w-27 max-sm:hidden" />
      <div className="max-w-full min-w-0 grow basis-0 max-sm:basis-full">
        <nav aria-label="Breadcrumb" className="flex items-center gap-1 text-xs text-ink-faint">
          <Link href={routes.home} className="rounded-sm hover:text-ink">
            Runs
          </Link>
          <ChevronRight aria-hidden className="size-3" />
          <span className="truncate font-mono">{run.id}</span>
        </nav>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
          <RunTitle run={run} />
          <span role="status" aria-label={`Status: ${run.status}`} className="flex">
            <StatusBadge status={run.status} />
          </span>
        </div>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-soft">
          <span>{facts.filter(Boolean).join(" · ")}</span>
          <ForkedFrom run={run} />
          <TrialOf run={run} />
          <RunTags run={run} />
          <RunNotes key={run.id} run={run} />
        </div>
      </div>
      <HeaderActions run={run} remove={remove} Sinks={Sinks} />
    </div>
  );
}
