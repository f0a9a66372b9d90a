"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronRight, FlaskConical, GitFork } from "lucide-react";
import { useNameOfAlgorithm, useRunStill } from "@/api/choices";
import { familyQuery } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { count, presetName } from "@/lib/number";
import { routes } from "@/lib/routes";
import { StatusBadge } from "@/ui/badge";
import { EnvironmentStill } from "@/ui/environment-still";
import { HoverLink } from "@/ui/hover-link";
import { type DeleteRun, HeaderActions } from "./header-actions";
import { RunNotes, RunTags, RunTitle } from "./labels";

interface RunHeaderProps {
  run: RunDetail;
  remove: DeleteRun;
}

export function RunHeader({ run, remove }: RunHeaderProps) {
  const algorithm = useNameOfAlgorithm(run.algo);
  const stillUrl = useRunStill(run);
  const preset = run.preset && presetName(run.preset);
  const facts = [algorithm, run.env_id, preset, `seed ${run.seed}`];
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <EnvironmentStill url={stillUrl} className="-mr-2 h-18 w-27 max-sm:hidden" />
      <div className="max-w-full min-w-0 grow basis-0 max-sm:basis-full">
        <nav aria-label="Breadcrumb" className="flex items-center gap-1 text-xs text-ink-faint">
          <HoverLink href={routes.home} className="rounded-sm hover:text-ink">
            Runs
          </HoverLink>
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
      <HeaderActions run={run} remove={remove} />
    </div>
  );
}

/** A link to the run that this one was forked from. */
export function ForkedFrom({ run }: { run: RunDetail }) {
  const { data } = useQuery({ ...familyQuery(run.id), enabled: Boolean(run.parent) });
  if (!run.parent) return null;
  const parent = data?.members.find(({ run_id }) => run_id === run.parent?.run_id);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <GitFork aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      <span className="min-w-0 break-words">
        forked from{" "}
        {parent?.deleted ? (
          "a run that is deleted"
        ) : (
          <HoverLink
            href={routes.run(run.parent.run_id)}
            className="rounded-sm font-medium text-accent hover:underline"
          >
            {parent?.name ?? run.parent.run_id}
          </HoverLink>
        )}{" "}
        at step {count(run.parent.step)}
      </span>
    </span>
  );
}

/** A link from a trial to its experiment. */
function TrialOf({ run: { config } }: { run: RunDetail }) {
  const place = config?.experiment;
  if (!place) return null;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <FlaskConical aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      <span>
        trial of{" "}
        <HoverLink
          href={routes.experiment(place.id)}
          title={place.id}
          className="rounded-sm font-medium text-accent hover:underline"
        >
          an experiment
        </HoverLink>
      </span>
    </span>
  );
}
