"use client";

import { useQuery } from "@tanstack/react-query";
import { offeredSinksQuery, runSinksQuery } from "@/api/sinks";
import type { RunDetail } from "@/api/types";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { SinkRow } from "./sink-row";

/** The other programs that a run was, or can be, delivered to, and how far each of them has it. */
export function SinksPanel({ run }: { run: RunDetail }) {
  const offered = useQuery(offeredSinksQuery);
  const sinks = useQuery(runSinksQuery(run.id));
  const failed = [offered, sinks].find(({ error, data }) => error && !data);
  if (failed?.error) {
    const { error, refetch, isFetching } = failed;
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  if (!offered.data || !sinks.data) return <Skeleton className="m-4 h-40" />;
  const { data } = sinks;
  return (
    <ul className="divide-y divide-line">
      {offered.data.map((offer) => (
        <SinkRow
          key={offer.kind}
          run={run}
          offer={offer}
          sink={data.sinks.find(({ kind }) => kind === offer.kind)}
        />
      ))}
    </ul>
  );
}
