"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronRight, Download, Play, Square } from "lucide-react";
import { useAlgorithmName } from "@/api/choices";
import { directExperiment, experimentQuery } from "@/api/experiments";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { Experiment } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { routes } from "@/lib/routes";
import { ExportRunsMenu } from "@/screens/shared/export-runs";
import { useDocumentTitle } from "@/shell/page-header";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { DeleteExperiment } from "./delete-experiment";
import { costMade, factText } from "./experiment-text";

/** The name of an experiment, its state, and its actions. */
export function ExperimentHeader({ id }: { id: string }) {
  const { data, error } = useQuery({ ...experimentQuery(id), enabled: id !== "" });
  const isDamaged = !data && error instanceof ApiError && error.status === 409;
  useDocumentTitle(data?.name);
  return (
    <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="max-w-full min-w-0 grow basis-0 max-sm:basis-56">
        <nav aria-label="Breadcrumb" className="flex items-center gap-1 text-xs text-ink-faint">
          <HoverLink href={routes.experiments} className="rounded-sm hover:text-ink">
            Experiments
          </HoverLink>
          {id && (
            <>
              <ChevronRight aria-hidden className="size-3 shrink-0" />
              <span className="min-w-0 truncate font-mono">{id}</span>
              <CopyButton text={id} label="Copy the id of the experiment" />
            </>
          )}
        </nav>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight break-words">
            {data?.name ?? "Experiment"}
          </h1>
          {data && (
            <span role="status" aria-label={`Status: ${data.status}`} className="flex">
              <StatusBadge status={data.status} />
            </span>
          )}
        </div>
        {data && <Facts experiment={data} />}
      </div>
      {data && <Actions experiment={data} />}
      {isDamaged && <DeleteExperiment id={id} name={id} />}
    </div>
  );
}

function Facts({ experiment }: { experiment: Experiment }) {
  const algorithmName = useAlgorithmName();
  return (
    <>
      <div className="mt-1 flex items-center gap-1 text-sm text-ink-soft">
        <p className="min-w-0">{factText(experiment, algorithmName).join(" · ")}</p>
        <ChartHelp title="a core-second of the experiment" text={costMade(experiment)} />
      </div>
      {experiment.length_note && (
        <p className="mt-0.5 text-xs text-ink-soft">{experiment.length_note}</p>
      )}
    </>
  );
}

function Actions({ experiment: { id, name, status } }: { experiment: Experiment }) {
  const client = useQueryClient();
  const direct = useMutation({
    mutationFn: (what: "stop" | "resume") => directExperiment(id, what),
    onSuccess: (changed) => client.setQueryData(keys.experiment(id), changed),
  });
  return (
    <div className="flex flex-col gap-1.5 sm:items-end">
      <div className="flex items-center gap-2">
        {status === "running" && (
          <Button
            needsService
            busy={direct.isPending}
            icon={<Square aria-hidden className="size-3.5" />}
            onClick={() => direct.mutate("stop")}
          >
            Stop
          </Button>
        )}
        {status === "stopped" && (
          <Button
            variant="primary"
            needsService
            busy={direct.isPending}
            icon={<Play aria-hidden className="size-3.5" />}
            onClick={() => direct.mutate("resume")}
          >
            Resume
          </Button>
        )}
        <ExportRunsMenu
          of={{ experiment: id }}
          trigger={
            <Button
              variant="quiet"
              aria-label="Download the runs"
              icon={<Download aria-hidden className="size-3.5" />}
            />
          }
        />
        <DeleteExperiment id={id} name={name} />
      </div>
      {direct.error && (
        <Notice tone="bad" role="alert" title="The experiment was not changed">
          <p>{explainAction(direct.error)}</p>
        </Notice>
      )}
    </div>
  );
}
