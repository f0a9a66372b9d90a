"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Skeleton } from "@/components/ui/skeleton";
import { algorithmsQuery, environmentsQuery, runListQuery } from "@/lib/api";
import { CreateRunForm } from "./create-run-form";

/** On a phone the form is folded away once there are runs, so that their list is within reach. */
export function NewRun() {
  const [unfolded, setUnfolded] = useState(false);
  const list = useInfiniteQuery(runListQuery({}));
  const foldable = !list.isError && list.data?.pages[0]?.total !== 0;
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
      bodyClass={clsx("p-4", foldable && !unfolded && "max-md:hidden")}
      aside={
        foldable && (
          <Button
            className="md:hidden"
            variant={unfolded ? "secondary" : "primary"}
            aria-expanded={unfolded}
            onClick={() => setUnfolded(!unfolded)}
          >
            {unfolded ? "Close" : "Set up"}
          </Button>
        )
      }
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
