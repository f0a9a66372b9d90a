"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Skeleton } from "@/components/ui/skeleton";
import { algorithmsQuery, environmentsQuery } from "@/lib/api";
import { CreateRunForm } from "./create-run-form";

export function NewRun() {
  const algorithms = useQuery(algorithmsQuery);
  const environments = useQuery(environmentsQuery);
  const error = algorithms.error ?? environments.error;
  const retry = () => {
    void algorithms.refetch();
    void environments.refetch();
  };
  return (
    <Card
      title="New run"
      className="lg:sticky lg:top-18 lg:max-h-[calc(100dvh-5.75rem)] lg:overflow-y-auto"
    >
      {algorithms.data && environments.data ? (
        <CreateRunForm choices={{ algorithms: algorithms.data, environments: environments.data }} />
      ) : error ? (
        <ErrorState
          error={error}
          retry={retry}
          retrying={algorithms.isFetching || environments.isFetching}
        />
      ) : (
        <FormSkeleton />
      )}
    </Card>
  );
}

function FormSkeleton() {
  return (
    <div role="status" aria-label="Loading the form" className="flex flex-col gap-4">
      <Skeleton className="h-20" />
      <Skeleton className="h-14" />
      <Skeleton className="h-52" />
      <Skeleton className="h-14" />
      <Skeleton className="h-10" />
    </div>
  );
}
