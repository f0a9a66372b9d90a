"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { measureStorage, storageQuery } from "@/api/storage";
import type { Storage as StorageData } from "@/api/types";
import { age } from "@/lib/format-time";
import { bytes, count } from "@/lib/number";
import { useNow } from "@/lib/time";
import { Button } from "@/ui/button";
import { Card, Stat } from "@/ui/card";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { KindsCard } from "./kinds-card";
import { LogCard } from "./log-card";
import { PassCard } from "./pass-card";
import { RulesCard } from "./rules-card";
import { RunsCard } from "./runs-card";
import { useStorageAnswer } from "./use-storage-answer";

/** The Storage page: what takes space, and the rules by which room is made. */
export function Storage() {
  const { data, error, refetch, isFetching } = useQuery(storageQuery);
  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <StorageSkeleton />;
  }
  return (
    <div className="flex flex-col gap-4">
      {data.rules_problem && (
        <Notice tone="bad" role="alert" title="No rule is followed">
          <p className="break-words">{data.rules_problem}</p>
        </Notice>
      )}
      {data.warnings.length > 0 && (
        <Notice tone="warn" title="Room is running out">
          <ul>
            {data.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Overview storage={data} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <KindsCard storage={data} />
        <RunsCard storage={data} />
      </div>
      <RulesCard storage={data} />
      <PassCard storage={data} />
      <LogCard storage={data} />
    </div>
  );
}

function Overview({ storage }: { storage: StorageData }) {
  const now = useNow("minute");
  const show = useStorageAnswer();
  const measure = useMutation({
    mutationFn: measureStorage,
    onSuccess: show,
  });
  const { measured_at: at, max_bytes: most } = storage;
  return (
    <Card
      title="The runs folder"
      aside={
        <Button
          size="sm"
          needsService
          busy={storage.measuring || measure.isPending}
          onClick={() => measure.mutate()}
          icon={<RefreshCw aria-hidden className="size-3.5" />}
        >
          Measure
        </Button>
      }
    >
      <dl className="grid grid-cols-2 gap-4 md:grid-cols-4">
        <Stat
          label="Together"
          note={most === null ? "No limit is set" : `of ${bytes(most)} (RLVIZ_MAX_BYTES)`}
        >
          {at ? bytes(storage.total_bytes) : "Measuring…"}
        </Stat>
        <Stat label="Free on the disk" note={`of ${bytes(storage.disk_bytes)}`}>
          {bytes(storage.free_bytes)}
        </Stat>
        <Stat label="Runs">{at ? count(storage.run_count) : "–"}</Stat>
        <Stat label="Measured" note={storage.measuring ? "Measuring again…" : undefined}>
          {at ? age(at, now) : "–"}
        </Stat>
      </dl>
    </Card>
  );
}

function StorageSkeleton() {
  return (
    <div role="status" aria-label="Loading what takes space" className="flex flex-col gap-4">
      <Skeleton className="h-32" />
      <Skeleton className="h-80" />
    </div>
  );
}
