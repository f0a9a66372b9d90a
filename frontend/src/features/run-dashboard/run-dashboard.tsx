"use client";

import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import { runQuery } from "@/api/runs";
import { ErrorState } from "@/ui/notice";
import { ConnectionNotice } from "./connection-notice";
import { RunHeader } from "./header/run-header";
import { useDeleteRun } from "./header/use-header-actions";
import { RunNotices } from "./notices/run-notices";
import { RunBody, type RunParts } from "./run-body";
import { RunNotFound } from "./run-not-found";
import { RunSkeleton } from "./run-skeleton";
import { useTabTitle } from "./use-tab-title";

interface RunDashboardProps {
  id: string;
  parts: RunParts;
}

export function RunDashboard({ id, parts }: RunDashboardProps) {
  const { data: run, error, refetch, isFetching } = useQuery(runQuery(id));
  const remove = useDeleteRun();
  useTabTitle(run);
  if (error instanceof ApiError && error.isNotFound) {
    return remove.isPending || remove.data === true ? <RunSkeleton /> : <RunNotFound id={id} />;
  }
  if (!run) {
    if (!error) return <RunSkeleton />;
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  return (
    <div className="flex flex-col gap-4">
      <RunHeader run={run} remove={remove} Sinks={parts.Sinks} />
      <RunNotices run={run} />
      <RunBody run={run} parts={parts} />
      <ConnectionNotice />
    </div>
  );
}
