"use client";

import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "@/api/choices";
import { bytes } from "@/lib/number";
import { useServiceAway } from "@/lib/service";

/** Free resources of the service's machine. While they load, their space is reserved. */
export function ServiceFacts() {
  const { data } = useQuery(healthQuery);
  const health = useServiceAway() === null ? data : undefined;
  return (
    <dl className="grid min-h-18 grid-cols-[1fr_auto] content-start gap-x-2 gap-y-1 border-t border-line px-2.5 pt-2.5 text-xs text-ink-soft tabular-nums">
      {health && (
        <>
          <dt className="text-ink-faint">Training</dt>
          <dd>
            {health.active_runs} of {health.max_concurrent_runs}
          </dd>
          <dt className="text-ink-faint">Free disk</dt>
          <dd>{bytes(health.free_disk_bytes)}</dd>
          <dt className="text-ink-faint">Version</dt>
          <dd>{health.version}</dd>
        </>
      )}
    </dl>
  );
}
