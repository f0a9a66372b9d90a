"use client";

import { useQuery } from "@tanstack/react-query";
import { Clapperboard, Play, Square } from "lucide-react";
import { Button } from "@/components/ui/button";
import { evaluationsQuery, explainAction, isActive, type RunDetail } from "@/lib/api";
import { canDo } from "@/lib/run-actions";
import { CompareWith } from "./compare-with";
import { RunMenu } from "./run-menu";
import { type DeleteRun, useRunActions } from "./use-run-actions";

/** On a phone the actions share one line. */
const shared = "max-sm:min-w-0 max-sm:grow max-sm:px-2!";

export function RunActions({ run, remove }: { run: RunDetail; remove: DeleteRun }) {
  const { start, stop, watch, error } = useRunActions(run);
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const stopping = run.status === "stopping" || stop.isPending;
  const newest = evaluations?.[0]?.status;
  const evaluating = watch.isPending || newest === "queued" || newest === "running";
  return (
    <div className="flex flex-col gap-1.5 max-sm:w-full sm:items-end">
      <div className="flex items-center gap-2">
        <CompareWith run={run} />
        {canDo("evaluate", run) && (
          <Button
            needsService
            onClick={() => watch.mutate(run.status)}
            busy={evaluating}
            className={shared}
            icon={<Clapperboard aria-hidden className="size-3.5" />}
          >
            {evaluating ? "Evaluating…" : "Evaluate"}
          </Button>
        )}
        {isActive(run) && (
          <Button
            needsService
            onClick={() => stop.mutate(run.status)}
            busy={stopping}
            className={shared}
            icon={<Square aria-hidden className="size-3 fill-current" />}
          >
            {stopping ? "Stopping…" : "Stop"}
          </Button>
        )}
        {canDo("start", run) && (
          <Button
            needsService
            variant="primary"
            onClick={() => start.mutate(run.status)}
            busy={start.isPending}
            className={shared}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Start
          </Button>
        )}
        <RunMenu run={run} remove={remove} />
      </div>
      {error && (
        <p role="alert" className="max-w-md text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
    </div>
  );
}
