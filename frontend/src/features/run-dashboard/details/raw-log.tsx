"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { isGuest } from "@/api/run-availability";
import { fetchTail } from "@/api/run-files";
import { lastRowsQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { bytes } from "@/lib/number";
import { CopyButton } from "@/ui/copy-button";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";

type Source = "worker.log" | "metrics.jsonl";

const TAIL_BYTES = 64 * 1024;
const TAIL_ROWS = 100;
const WHILE_LIVE = 3000;

/** The end of the worker's log, where the run had a worker of ours, or of the metrics journal, unchanged. */
export function RawLog({ run }: { run: RunDetail }) {
  const [source, setSource] = useState<Source>(isGuest(run) ? "metrics.jsonl" : "worker.log");
  const refetchInterval = isActive(run) ? WHILE_LIVE : (false as const);
  const log = useQuery({
    queryKey: keys.tail(run.id, "worker.log"),
    queryFn: ({ signal }) => fetchTail(run.id, "worker.log", TAIL_BYTES, signal),
    enabled: source === "worker.log",
    staleTime: 0,
    refetchInterval,
  });
  const rows = useQuery({
    ...lastRowsQuery(run.id, TAIL_ROWS),
    enabled: source === "metrics.jsonl",
    refetchInterval,
  });
  const shown = source === "worker.log" ? log : rows;
  const text =
    source === "worker.log"
      ? log.data?.text
      : rows.data?.map((row) => JSON.stringify(row)).join("\n");
  const note =
    source === "worker.log"
      ? log.data?.cut && `the last ${bytes(TAIL_BYTES)} of ${bytes(log.data.size)}`
      : `the last ${TAIL_ROWS} rows`;
  return (
    <div className="p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2 text-xs text-ink-faint">
        <Segmented<Source>
          legend="Log to show"
          value={source}
          onChange={setSource}
          options={[
            ...(isGuest(run) ? [] : [{ value: "worker.log" as const, label: "worker.log" }]),
            { value: "metrics.jsonl", label: "metrics.jsonl" },
          ]}
        />
        <span className="flex items-center gap-2">
          {note}
          {text && <CopyButton text={text} label={`Copy ${source}`} />}
        </span>
      </div>
      {text === undefined ? (
        shown.error ? (
          <ErrorState error={shown.error} retry={() => void shown.refetch()} />
        ) : (
          <Skeleton className="h-40" />
        )
      ) : text === "" ? (
        <p className="py-6 text-center text-sm text-ink-soft">
          {source === "worker.log" ? "The worker has printed nothing" : "No row yet"}
        </p>
      ) : (
        <pre
          tabIndex={0}
          aria-label={source}
          className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs"
        >
          {text}
        </pre>
      )}
    </div>
  );
}
