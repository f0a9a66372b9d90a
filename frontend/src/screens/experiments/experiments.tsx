"use client";

import { useQuery } from "@tanstack/react-query";
import { FlaskConical, Plus } from "lucide-react";
import { useState } from "react";
import { experimentsQuery } from "@/api/experiments";
import type { ExperimentSummary } from "@/api/types";
import { age } from "@/lib/format-time";
import { percent } from "@/lib/number";
import { searchOf, useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { useNow } from "@/lib/time";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState, ErrorState, Notice } from "@/ui/notice";
import { Progress, Skeleton } from "@/ui/progress";
import { DeleteExperiment } from "./delete-experiment";
import { FIRST } from "./draft";
import { costMade, costText, doneText, leftText } from "./experiment-text";
import { NewExperiment } from "./new-experiment";

/** The Experiments page: all of them, newest first, and the form of a new one. */
export function Experiments() {
  const { data, error, refetch, isFetching } = useQuery(experimentsQuery);
  const [query, changeQuery] = useQueryString();
  const run = query.get(EXPLORED);
  const [isNew, setIsNew] = useState(false);
  const [draft, setDraft] = useState(FIRST);
  const open = (isOpen: boolean) => {
    setIsNew(isOpen);
    if (run !== null) changeQuery(withoutRun);
  };
  const create = (
    <Button
      variant="primary"
      needsService
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => open(true)}
    >
      New experiment
    </Button>
  );
  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <ExperimentsSkeleton />;
  }
  const damaged = Object.entries(data.damaged);
  return (
    <div className="flex flex-col gap-4">
      {data.experiments.length === 0 ? (
        <EmptyState icon={FlaskConical} title="No experiment yet" action={create}>
          One curve proves little: another seed may give another result. Train several seeds of each
          variant and compare the intervals.
        </EmptyState>
      ) : (
        <>
          <div className="flex justify-end">{create}</div>
          <ul
            aria-label="Experiments"
            className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface shadow-card max-md:-mx-4 max-md:rounded-none max-md:border-x-0"
          >
            {data.experiments.map((experiment) => (
              <ExperimentLine key={experiment.id} experiment={experiment} />
            ))}
          </ul>
        </>
      )}
      {damaged.map(([id, problem]) => (
        <Notice key={id} tone="bad" title={`${id} cannot be read`}>
          <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
            <p className="min-w-0 grow basis-64 break-words">{problem}</p>
            <DeleteExperiment id={id} name={id} />
          </div>
        </Notice>
      ))}
      {(isNew || run !== null) && (
        <NewExperiment
          run={run}
          draft={draft}
          onChange={setDraft}
          onStartOver={() => {
            setDraft(FIRST);
            open(true);
          }}
          onClose={() => open(false)}
        />
      )}
    </div>
  );
}

/** Placeholder for the list until it is loaded. */
export function ExperimentsSkeleton() {
  return (
    <div role="status" aria-label="Loading the experiments">
      <Skeleton className="h-64" />
    </div>
  );
}

/** In the address: the run that is compared with and without its exploration. */
const EXPLORED = "explored";

function withoutRun(query: URLSearchParams): string {
  query.delete(EXPLORED);
  return searchOf(query);
}

/** One experiment of the list. */
function ExperimentLine({ experiment }: { experiment: ExperimentSummary }) {
  const now = useNow("minute");
  const { id, name, status, progress, created_at, cause, problem } = experiment;
  return (
    <li className="relative grid gap-x-4 gap-y-1.5 px-4 py-3 hover:bg-sunken md:grid-cols-[minmax(0,1fr)_7rem_14rem] md:items-center">
      <div className="min-w-0">
        <HoverLink
          href={routes.experiment(id)}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {name}
        </HoverLink>
        <p className="text-xs break-words text-ink-soft">
          {problem ?? cause ?? (
            <>
              {doneText(experiment)} ·{" "}
              <span className="relative z-1" title={costMade(experiment)}>
                {costText(experiment)}
              </span>
            </>
          )}
        </p>
      </div>
      <StatusBadge status={status} />
      <div className="flex flex-col gap-1">
        <Progress share={progress} label="Progress" live={status === "running"} />
        <p className="flex justify-between text-xs text-ink-faint tabular-nums">
          <span>{leftText(experiment) ?? percent(progress)}</span>
          <span>{age(created_at, now)}</span>
        </p>
      </div>
    </li>
  );
}
