"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Pause, Play, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Notice } from "@/components/ui/notice";
import { Progress } from "@/components/ui/progress";
import { Skeleton } from "@/components/ui/skeleton";
import { StatusBadge } from "@/components/ui/status-badge";
import {
  ApiError,
  deleteExperiment,
  directExperiment,
  type Experiment,
  experimentQuery,
  explainAction,
  keys,
} from "@/lib/api";
import { percent } from "@/lib/format";
import { routes } from "@/lib/url";
import { costWords, doneWords, leftWords } from "./experiment-words";
import { TrialTable } from "./trial-table";

/** What an experiment trains now: each trial as a cell, how far it is, and what can be done with it. */
export function ExperimentTrials({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery(experimentQuery(id));
  if (!data) {
    if (error instanceof ApiError && error.status === 404) return null; // the results below say so
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <Skeleton className="h-40" />;
  }
  return <Trials experiment={data} />;
}

function Trials({ experiment }: { experiment: Experiment }) {
  const client = useQueryClient();
  const { id, name, status, progress, cause, problem } = experiment;
  const direct = useMutation({
    mutationFn: (what: "stop" | "resume") => directExperiment(id, what),
    onSuccess: (changed) => client.setQueryData(keys.experiment(id), changed),
  });
  return (
    <Card
      label="Trials"
      title={<span className="block break-words">{name}</span>}
      aside={
        <span className="flex flex-wrap items-center gap-2">
          <StatusBadge status={status} />
          {status === "running" && (
            <Button
              size="sm"
              needsService
              busy={direct.isPending}
              icon={<Pause aria-hidden className="size-3.5" />}
              onClick={() => direct.mutate("stop")}
            >
              Stop
            </Button>
          )}
          {status === "stopped" && (
            <Button
              size="sm"
              variant="primary"
              needsService
              busy={direct.isPending}
              icon={<Play aria-hidden className="size-3.5" />}
              onClick={() => direct.mutate("resume")}
            >
              Resume
            </Button>
          )}
          <Delete id={id} name={name} />
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      <div className="flex flex-col gap-1.5">
        <Progress share={progress} label="Progress of all trials" live={status === "running"} />
        <p className="flex flex-wrap justify-between gap-x-4 text-xs text-ink-soft tabular-nums">
          <span>{doneWords(experiment)}</span>
          <span>
            {[percent(progress), leftWords(experiment), costWords(experiment)]
              .filter((words) => words !== null)
              .join(" · ")}
          </span>
        </p>
      </div>
      {(problem ?? cause) && (
        <Notice
          tone={status === "failed" ? "bad" : "warn"}
          title={problem ? "It waits" : "It ended"}
        >
          <p className="break-words">{problem ?? cause}</p>
        </Notice>
      )}
      {direct.error && (
        <Notice tone="bad" role="alert" title="That was not done">
          <p>{explainAction(direct.error)}</p>
        </Notice>
      )}
      {!experiment.searches && <TrialTable experiment={experiment} />}
    </Card>
  );
}

function Delete({ id, name }: { id: string; name: string }) {
  const router = useRouter();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteExperiment(id),
    onSuccess: () => {
      client.removeQueries({ queryKey: keys.experiment(id) });
      void client.invalidateQueries({ queryKey: keys.experiments });
      router.push(routes.experiments);
    },
  });
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        aria-label="Delete the experiment"
        icon={<Trash2 aria-hidden className="size-3.5" />}
        onClick={() => setAsks(true)}
      />
      <Dialog
        open={asks}
        onOpenChange={setAsks}
        title={`Delete “${name}”?`}
        size="sm"
        footer={
          <>
            <Button onClick={() => setAsks(false)}>Cancel</Button>
            <Button
              variant="danger"
              needsService
              busy={remove.isPending}
              onClick={() => remove.mutate()}
            >
              Delete
            </Button>
          </>
        }
      >
        <p className="text-sm text-ink-soft">
          What trains is stopped. Its runs stay, as runs like any other; scores and results go.
        </p>
        {remove.error && (
          <Notice tone="bad" role="alert" title="It was not deleted">
            <p>{explainAction(remove.error)}</p>
          </Notice>
        )}
      </Dialog>
    </>
  );
}
