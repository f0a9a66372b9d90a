"use client";

import { lazy, Suspense, useState } from "react";
import { withRetry } from "@/api/with-retry";
import { count } from "@/lib/number";
import { useQueryString } from "@/lib/query-string";
import { ImportButton } from "./import/import-button";
import { RunList } from "./list/run-list";
import { type NewRunAddress, readNewRunAddress, writeNewRunAddress } from "./new-run-address";
import { useRunCount } from "./use-run-count";

const ImportDialog = lazy(
  withRetry(() =>
    import("./import/import-dialog").then(({ ImportDialog }) => ({ default: ImportDialog })),
  ),
);
const NewRunPanel = lazy(withRetry(() => import("./form/new-run-panel")));

/** Home: the list of runs, and the form for a new run in a panel beside it. */
export function Home() {
  const [query, change] = useQueryString();
  const asked = readNewRunAddress(query);
  const total = useRunCount();
  const ask = (next: NewRunAddress) =>
    change((now) => writeNewRunAddress(now, next), next.open ? "pushState" : "replaceState");
  const openNew = () => ask({ open: true, duplicate: null, environment: null });
  const [importing, setImporting] = useState(false);
  const openImport = () => setImporting(true);
  return (
    <>
      <header className="mb-3 flex items-center justify-between gap-2">
        <h1 className="text-xl font-semibold tracking-tight">
          Runs
          {total !== undefined && total > 0 && (
            <span className="ml-2 text-base font-normal tracking-normal text-ink-faint tabular-nums">
              {count(total)}
            </span>
          )}
        </h1>
        {total !== undefined && total > 0 && <ImportButton size="sm" onClick={openImport} />}
      </header>
      <RunList
        onNew={openNew}
        onImport={openImport}
        onDuplicate={(run) => ask({ open: true, duplicate: run.id, environment: null })}
      />
      {importing && (
        <Suspense>
          <ImportDialog onClose={() => setImporting(false)} />
        </Suspense>
      )}
      {asked.open && (
        <Suspense>
          <NewRunPanel
            key={asked.duplicate ?? asked.environment}
            duplicate={asked.duplicate}
            environment={asked.environment}
            onClose={() => ask({ open: false })}
          />
        </Suspense>
      )}
    </>
  );
}
