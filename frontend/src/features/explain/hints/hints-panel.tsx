"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import Link from "next/link";
import { hintsQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { routes } from "@/lib/routes";
import { Badge, StatusBadge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { HintItem } from "./hint-item";
import { RulesAsked } from "./rules-asked";

/** Milliseconds between two requests for the hints of a run that trains. */
const AGAIN = 10_000;

/** The hints about one run's curves. */
export function HintsPanel({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...hintsQuery(run.id),
    refetchInterval: isActive(run) ? AGAIN : false,
  });
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          What stands out
          {data && data.hints.length > 0 && <Badge>{data.hints.length}</Badge>}
        </span>
      }
      label="What stands out"
      aside={
        <span className="flex min-w-0 items-center gap-2 text-xs">
          <Link
            href={routes.run(run.id)}
            className="min-w-0 truncate rounded-sm font-medium text-accent underline-offset-2 hover:underline"
          >
            {run.name}
          </Link>
          <StatusBadge status={run.status} />
        </span>
      }
      bodyClass=""
    >
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !data ? (
        <div role="status" aria-label="Reading the curves" className="flex flex-col gap-3 p-4">
          <Skeleton className="h-20" />
          <Skeleton className="h-20" />
        </div>
      ) : (
        <>
          {data.hints.length === 0 ? (
            <EmptyState icon={CircleCheck} title="Nothing stands out">
              {isActive(run)
                ? "Its curves show none of the failures below so far. They are read again while it trains."
                : "Its curves show none of the failures below."}
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {data.hints.map((hint) => (
                <HintItem key={`${hint.id} ${hint.from_step}`} runId={run.id} hint={hint} />
              ))}
            </ul>
          )}
          <RulesAsked rules={data.rules} />
        </>
      )}
    </Card>
  );
}
