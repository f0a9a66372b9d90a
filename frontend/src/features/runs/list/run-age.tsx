"use client";

import type { Run } from "@/lib/api";
import { age, moment } from "@/lib/format";
import { useNow } from "@/lib/time/use-now";

export function RunAge({ run }: { run: Pick<Run, "created_at"> }) {
  const now = useNow("minute");
  return (
    <time dateTime={run.created_at} title={`Created ${moment(run.created_at)}`}>
      {age(run.created_at, now)}
    </time>
  );
}
