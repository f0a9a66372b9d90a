"use client";

import type { Run } from "@/lib/api";
import { age, duration, elapsed, moment } from "@/lib/format";
import { useNow } from "@/lib/time/use-now";

/** How long a run at work has been training; otherwise how long ago it was created. */
export function RunTime({ run }: { run: Run }) {
  const working = run.status === "running" || run.status === "stopping";
  const now = useNow(working ? "second" : "minute");
  const trained = working ? elapsed(run, now) : null;
  return (
    <time dateTime={run.created_at} title={`Created ${moment(run.created_at)}`}>
      {trained === null ? age(run.created_at, now) : duration(trained)}
    </time>
  );
}
