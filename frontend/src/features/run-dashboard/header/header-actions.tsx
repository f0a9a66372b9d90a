"use client";

import { useQuery } from "@tanstack/react-query";
import { Clapperboard, Pause, Play, Square } from "lucide-react";
import { evaluationsQuery } from "@/api/evaluations";
import { explainAction } from "@/api/http";
import { canDo, isOffered, whyNot } from "@/api/run-availability";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail } from "@/api/types";
import { duration } from "@/lib/format-time";
import { Button } from "@/ui/button";
import type { RunParts } from "../run-body";
import { CompareWith } from "./compare-with";
import { RunMenu } from "./run-menu";
import { TrainLonger } from "./train-longer";
import { type DeleteRun, useHeaderActions } from "./use-header-actions";

/** On a phone the actions share one line. */
const shared = "max-sm:min-w-0 max-sm:grow max-sm:px-2!";

/** Seconds of an update from which it is said how long a stop may last. */
const WORTH_SAYING = 2;

const NOTHING_KEPT =
  "It ended before a snapshot was taken to go on from: train again with these settings.";

interface HeaderActionsProps {
  run: RunDetail;
  remove: DeleteRun;
  Sinks: RunParts["Sinks"];
}

export function HeaderActions({ run, remove, Sinks }: HeaderActionsProps) {
  const { start, pause, resume, stop, watch, error } = useHeaderActions(run);
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const stopping = run.status === "stopping" || stop.isPending;
  const pausing = run.status === "pausing" || pause.isPending;
  const mayResume = isOffered("resume", run);
  const { data: kept } = useQuery({ ...snapshotsQuery(run.id), enabled: mayResume });
  // A fork goes on from where it left its parent.
  const nothingKept = kept?.newest === null && run.parent === null;
  const newest = evaluations?.[0]?.status;
  const evaluating = watch.isPending || newest === "queued" || newest === "running";
  return (
    <div className="flex flex-col gap-1.5 max-sm:w-full sm:items-end">
      <div className="flex flex-wrap items-center gap-2">
        <CompareWith run={run} />
        {isOffered("evaluate", run) && (
          <Button
            needsService
            {...unless(whyNot("evaluate", run))}
            onClick={() => watch.mutate(run.status)}
            busy={evaluating}
            className={shared}
            icon={<Clapperboard aria-hidden className="size-3.5" />}
          >
            {evaluating ? "Evaluating…" : "Evaluate"}
          </Button>
        )}
        {(canDo("pause", run) || pausing) && (
          <Button
            needsService
            onClick={() => pause.mutate(run.status)}
            busy={pausing}
            className={shared}
            icon={<Pause aria-hidden className="size-3 fill-current" />}
          >
            {pausing ? "Pausing…" : "Pause"}
          </Button>
        )}
        {(canDo("stop", run) || stopping) && (
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
        {isOffered("start", run) && (
          <Button
            needsService
            {...unless(whyNot("start", run))}
            variant="primary"
            onClick={() => start.mutate(run.status)}
            busy={start.isPending}
            className={shared}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Start
          </Button>
        )}
        {mayResume && (
          <Button
            needsService
            {...unless(whyNot("resume", run) ?? (nothingKept ? NOTHING_KEPT : null))}
            variant={run.status === "paused" ? "primary" : "secondary"}
            onClick={() => resume.mutate(run.status)}
            busy={resume.isPending}
            className={shared}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            Resume
          </Button>
        )}
        {isOffered("extend", run) && <TrainLonger run={run} className={shared} />}
        <RunMenu run={run} remove={remove} Sinks={Sinks} />
      </div>
      {stopping && run.update_seconds !== null && run.update_seconds >= WORTH_SAYING && (
        <p role="status" className="max-w-md text-xs text-ink-soft">
          An update may be under way: stopping takes up to{" "}
          {duration(Math.ceil(run.update_seconds) * 1000)}.
        </p>
      )}
      {error && (
        <p role="alert" className="max-w-md text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
    </div>
  );
}

/** A button that cannot be pressed, and says why. */
function unless(reason: string | null) {
  return reason === null ? {} : { disabled: true, title: reason };
}
