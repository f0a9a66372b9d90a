"use client";

import { useQuery } from "@tanstack/react-query";
import { driftQuery } from "@/api/run-record";

/** What differs between the version that wrote this run and the one that reads it; nothing if nothing does. */
export function DriftNotes({ runId }: { runId: string }) {
  const { data: drift } = useQuery(driftQuery(runId));
  if (drift === undefined || drift.length === 0) return null;
  return (
    <section aria-label="Since it was written" className="min-w-0">
      <h3 className="text-xs font-medium text-ink-faint">Since it was written</h3>
      <ul className="mt-1 divide-y divide-line">
        {drift.map(({ kind, file, key, says }) => (
          <li key={`${kind} ${file} ${key}`} className="py-1 text-xs break-words text-ink-soft">
            {kind === "package" ? (
              says
            ) : (
              <>
                <code className="font-mono text-ink">
                  {file} {key}
                </code>
                : {says}
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
