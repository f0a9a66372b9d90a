"use client";

import clsx from "clsx";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import type { SearchResults } from "@/lib/api";
import { decimal, percent, plural } from "@/lib/format";
import { valueWords } from "./words";

interface TrialListProps {
  search: SearchResults;
  /** Numbers of the complete trials that lie within all brushes; null: there is no brush. */
  passing: ReadonlySet<number> | null;
  /** How far a trial that runs has trained, from 0 to 1. */
  progressOf: (number: number) => number;
  picked: number | null;
  onPick: (number: number) => void;
}

const SHOWN = 25;

/** The trials, the best first and those without an objective last; picking one shows it above. */
export function TrialList({ search, passing, progressOf, picked, onPick }: TrialListProps) {
  const [all, setAll] = useState(false);
  const names = search.coordinates.axes.map(({ name }) => name);
  const found = search.trials
    .filter(({ number }) => passing === null || passing.has(number))
    .toSorted(
      (a, b) => (b.objective ?? -Infinity) - (a.objective ?? -Infinity) || a.number - b.number,
    );
  const shown = all ? found : found.slice(0, SHOWN);
  if (found.length === 0) {
    return <p className="text-sm text-ink-soft">No trial lies within all brushes.</p>;
  }
  return (
    <>
      <div
        className="relative -mx-4 overflow-x-auto px-4"
        tabIndex={0}
        role="region"
        aria-label="Trials"
      >
        <table className="w-full text-sm tabular-nums">
          <thead className="text-left text-xs text-ink-soft">
            <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
              <th scope="col">Trial</th>
              <th scope="col">Objective</th>
              {names.map((name) => (
                <th key={name} scope="col" className="font-mono">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ number, state, objective, values, cause }) => (
              <tr
                key={number}
                title={cause ?? undefined}
                aria-current={number === picked || undefined}
                className={clsx(
                  "border-b border-line whitespace-nowrap last:border-0 [&>*]:pr-4",
                  number === picked && "bg-accent-tint",
                )}
              >
                <th scope="row" className="text-left font-medium">
                  <button
                    type="button"
                    aria-pressed={number === picked}
                    className="h-8 min-w-8 rounded-sm text-left text-accent hover:underline max-md:h-10"
                    onClick={() => onPick(number)}
                  >
                    {number}
                    {number === search.best?.number && " best"}
                  </button>
                </th>
                <td className={objective === null ? "text-ink-faint" : undefined}>
                  {objective === null ? state : decimal(objective)}
                  {state === "running" && ` ${percent(progressOf(number))}`}
                </td>
                {names.map((name) => (
                  <td key={name}>{name in values ? valueWords(values[name]) : "–"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown.length && (
        <Button size="sm" variant="quiet" className="mt-2" onClick={() => setAll(true)}>
          Show all {plural(found.length, "trial")}
        </Button>
      )}
    </>
  );
}
