"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { familyQuery } from "@/api/runs";
import type { Relative, RunDetail } from "@/api/types";
import { count, decimal, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { StatusBadge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";

/** The tree of runs around this one: its parents and its forks. Hidden if there are none. */
export function FamilyCard({ run }: { run: RunDetail }) {
  const { data } = useQuery(familyQuery(run.id));
  if (!data || data.members.length < 2) return null;
  const { members, whole } = data;
  const ids = members.filter(({ deleted }) => !deleted).map(({ run_id }) => run_id);
  /** The stream's data about this run, which is newer than the family. */
  const isNow = {
    name: run.name,
    status: run.status,
    best_moving_average: run.best_moving_average,
  };
  const branch = (one: Relative): ReactNode => (
    <Branch
      key={one.run_id}
      run={one.run_id === run.id ? { ...one, ...isNow } : one}
      isThis={one.run_id === run.id}
    >
      {members.filter(({ parent_id }) => parent_id === one.run_id).map(branch)}
    </Branch>
  );
  return (
    <Card
      title="Family"
      aside={
        ids.length > 1 && (
          <HoverLink
            href={routes.compareRuns(ids)}
            className="rounded-sm text-xs font-medium text-accent hover:underline"
          >
            Compare all
          </HoverLink>
        )
      }
    >
      <ul className="max-h-96 overflow-y-auto text-sm">{branch(members[0]!)}</ul>
      {!whole && (
        <p className="mt-2 text-xs text-ink-faint">
          The nearest {members.length} are shown; there are more.
        </p>
      )}
    </Card>
  );
}

interface BranchProps {
  run: Relative;
  /** Whether this page shows it. */
  isThis: boolean;
  children: readonly ReactNode[];
}

function Branch({ run, isThis, children }: BranchProps) {
  const { run_id, name, status, deleted, best_moving_average: best } = run;
  return (
    <li className="py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        {deleted ? (
          <span className="min-w-0 text-ink-soft">
            A run that is deleted <span className="font-mono text-xs break-all">{run_id}</span>
          </span>
        ) : isThis ? (
          <strong aria-current="page" className="min-w-0 font-semibold break-words">
            {name}
          </strong>
        ) : (
          <HoverLink
            href={routes.run(run_id)}
            className="min-w-0 rounded-sm font-medium break-words text-accent hover:underline"
          >
            {name}
          </HoverLink>
        )}
        {status && <StatusBadge status={status} />}
        {best !== null && (
          <span className="text-xs text-ink-soft tabular-nums">best average {decimal(best)}</span>
        )}
      </div>
      {run.forked_at !== null && (
        <p className="text-xs break-words text-ink-soft">
          forked at step {count(run.forked_at)}, {changeText(run.changes)}
        </p>
      )}
      {children.length > 0 && <ul className="mt-1 ml-1 border-l border-line pl-3">{children}</ul>}
    </li>
  );
}

/** The changes of a fork, for instance `gamma 0.99 → 0.9, seed 1 → 7`. */
function changeText(changes: Relative["changes"]): string {
  const own = changes.filter(({ in_parent }) => !in_parent);
  const inherited = changes.filter(({ in_parent }) => in_parent);
  const changed = own.length === 0 ? "nothing changed" : listed(own);
  return inherited.length === 0
    ? changed
    : `${changed}; as changed in its parent: ${listed(inherited)}`;
}

function listed(changes: Relative["changes"]): string {
  return changes
    .map(({ name, before, after }) =>
      before === null ? `${name} ${value(after)}` : `${name} ${value(before)} → ${value(after)}`,
    )
    .join(", ");
}

/** Long whole numbers are read more easily in groups. */
function value(of: unknown): string {
  return typeof of === "number" && Number.isInteger(of) && of >= 10_000
    ? count(of)
    : settingText(of);
}
