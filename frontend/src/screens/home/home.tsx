"use client";

import { lazy, Suspense, useState } from "react";
import { readListFilter, toListFilter } from "@/api/run-filter";
import { withRetry } from "@/api/with-retry";
import { count } from "@/lib/number";
import { searchOf, useQueryString } from "@/lib/query-string";
import { Skeleton } from "@/ui/progress";
import { ImportButton } from "./import-button";
import { useFirstPage } from "./list/lines";
import { RunList, RunListSkeleton } from "./list/run-list";

const ImportDialog = lazy(
  withRetry(() =>
    import("./import-dialog").then(({ ImportDialog }) => ({ default: ImportDialog })),
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

/** Placeholder for Home until its address is read, with the same layout and heights. */
export function HomeSkeleton() {
  return (
    <>
      <h1 className="mb-3 text-xl font-semibold tracking-tight">Runs</h1>
      <Skeleton className="h-8 max-md:h-10" />
      <div className="mt-3 overflow-clip rounded-lg border border-line bg-surface max-md:-mx-4 max-md:rounded-none max-md:border-x-0">
        <RunListSkeleton />
      </div>
    </>
  );
}

/** Number of runs in the list; undefined until the first response. */
function useRunCount(): number | undefined {
  const [query] = useQueryString();
  return useFirstPage(toListFilter(readListFilter(query)), "always").data?.total_runs;
}

const NEW = "new";
const DUPLICATE = "duplicate";

/**
 * What the address says about the new-run form: closed, or open, possibly to repeat a run or with an
 * environment.
 */
type NewRunAddress =
  { open: false } | { open: true; duplicate: string | null; environment: string | null };

export function readNewRunAddress(query: URLSearchParams): NewRunAddress {
  const duplicate = query.get(DUPLICATE);
  if (duplicate) return { open: true, duplicate, environment: null };
  if (!query.has(NEW)) return { open: false };
  return { open: true, duplicate: null, environment: query.get(NEW) || null };
}

/** The query string with the form opened or closed, and everything else unchanged. */
export function writeNewRunAddress(query: URLSearchParams, asked: NewRunAddress): string {
  const next = new URLSearchParams(query);
  next.delete(NEW);
  next.delete(DUPLICATE);
  if (asked.open) {
    if (asked.duplicate) next.set(DUPLICATE, asked.duplicate);
    else next.set(NEW, asked.environment ?? "");
  }
  return searchOf(next);
}
