"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { HoverLink } from "@/ui/hover-link";
import { useState } from "react";
import { experimentQuery, recentExperimentsQuery } from "@/api/experiments";
import type { Experiment, ExperimentCell, ExperimentSummary } from "@/api/types";
import { decimal, percent, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { ErrorState } from "@/ui/notice";
import { Progress, Skeleton } from "@/ui/progress";

/** A line for each of the newest experiments: name, progress, best trial. It unfolds to the trials. */
export function ExperimentLines() {
  const { data } = useQuery(recentExperimentsQuery);
  if (!data || data.experiments.length === 0) return null;
  return (
    <ul
      aria-label="Experiments"
      className="mt-2 divide-y divide-line overflow-clip rounded-lg border border-line bg-surface text-sm shadow-card max-md:-mx-4 max-md:rounded-none max-md:border-x-0"
    >
      {data.experiments.map((experiment) => (
        <ExperimentLine key={experiment.id} experiment={experiment} />
      ))}
    </ul>
  );
}

function ExperimentLine({ experiment }: { experiment: ExperimentSummary }) {
  const [open, setOpen] = useState(false);
  const { id, name, trials, progress, status, best_return: best } = experiment;
  return (
    <li>
      <div className="flex min-h-9 items-center gap-2 px-2 max-md:min-h-12">
        <button
          type="button"
          aria-expanded={open}
          aria-label={`Trials of ${name}`}
          onClick={() => setOpen(!open)}
          className="grid size-7 shrink-0 place-items-center rounded-sm text-ink-soft hover:bg-rest-tint hover:text-ink max-md:size-10"
        >
          <ChevronRight
            aria-hidden
            className={clsx("size-3.5 transition-transform", open && "rotate-90")}
          />
        </button>
        <span className="flex min-w-0 grow flex-wrap items-baseline gap-x-2">
          <HoverLink
            href={routes.experiment(id)}
            prefetch={false}
            className="min-w-0 truncate rounded-sm font-medium hover:underline"
          >
            {name}
          </HoverLink>
          <span className="text-xs whitespace-nowrap text-ink-soft">{plural(trials, "trial")}</span>
        </span>
        <span className="flex w-32 shrink-0 items-center gap-2 text-xs text-ink-soft tabular-nums max-md:w-9">
          <Progress
            className="grow max-md:hidden"
            share={progress}
            label={`Progress of ${name}`}
            live={status === "running"}
          />
          <span className="w-9 text-right">{percent(progress)}</span>
        </span>
        <span className="w-28 shrink-0 text-right text-xs whitespace-nowrap text-ink-soft tabular-nums max-md:w-20 md:pr-1">
          {typeof best === "number" && (
            <>
              best <span className="font-medium text-ink">{decimal(best)}</span>
            </>
          )}
        </span>
      </div>
      {open && <Trials id={id} name={name} />}
    </li>
  );
}

function Trials({ id, name }: { id: string; name: string }) {
  const { data, error, refetch, isFetching } = useQuery(experimentQuery(id));
  if (!data) {
    return error ? (
      <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Skeleton className="mx-4 mb-3 h-16" />
    );
  }
  return (
    <ol
      aria-label={`Trials of ${name}`}
      className="max-h-72 overflow-y-auto border-t border-line bg-sunken py-1 text-xs tabular-nums"
    >
      {trialLines(data).map(({ cell, label, text }) => (
        <li key={cell.trial} className="flex min-h-7 items-center gap-3 pr-4 pl-11 max-md:min-h-10">
          <span className="min-w-0 grow truncate">
            {cell.run_id ? (
              <HoverLink
                href={routes.run(cell.run_id)}
                prefetch={false}
                className="rounded-sm hover:underline"
              >
                {label}
              </HoverLink>
            ) : (
              label
            )}
          </span>
          <span className="shrink-0 text-ink-soft">{text}</span>
        </li>
      ))}
    </ol>
  );
}

/** The trials by score, best first, then the others in their order; each with its variant and seed, and how far it is. */
export function trialLines({ cells, variants }: Pick<Experiment, "cells" | "variants">) {
  const labels = new Map(variants.map(({ id, label }) => [id, label]));
  const rank = ({ score }: ExperimentCell) => score ?? -Infinity;
  return [...cells]
    .sort((one, other) => (rank(one) < rank(other) ? 1 : rank(one) > rank(other) ? -1 : 0))
    .map((cell) => ({
      cell,
      label: `${labels.get(cell.variant) ?? cell.variant} · seed ${cell.seed}`,
      text:
        cell.status === "scored"
          ? `score ${decimal(cell.score)}`
          : cell.status === "training" || cell.status === "paused"
            ? `${cell.status}, ${percent(cell.progress)}`
            : cell.status,
    }));
}
