"use client";

import clsx from "clsx";
import { useMemo, useState } from "react";
import { PRUNERS, SAMPLERS } from "@/api/sweep-text";
import type { ExperimentCell, SearchedTrial, SearchResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { sparklineScale } from "@/charts/sparkline";
import { decimal, percent, plural, setting } from "@/lib/number";
import { TrialCell } from "@/screens/shared/trial-cell";
import { Button } from "@/ui/button";
import { useOpenLinks } from "@/ui/disclosure";
import { ScrollRegion } from "@/ui/scroll-region";

interface TrialListProps {
  search: SearchResults;
  /** How an objective is made. */
  how: string | undefined;
  /** Numbers of the complete trials within all selected ranges; null: nothing is selected. */
  passing: ReadonlySet<number> | null;
  /** The seeds of each trial, and the current state of their runs. */
  seeds: readonly number[];
  cells: readonly ExperimentCell[];
  picked: number | null;
  onPick: (number: number) => void;
}

const SHOWN = 25;

/** The cells of runs are filled to their edges. */
const BESIDE_CELLS = "pl-2";

/** The trials, best first and those without an objective last. Choosing one opens its panel. */
export function TrialList(props: TrialListProps) {
  const { search, how, passing, seeds, cells, picked, onPick } = props;
  const [all, setAll] = useState(false);
  const openTrial = useOpenLinks();
  const names = search.coordinates.axes.map(({ name }) => name);
  const scale = useMemo(() => sparklineScale(cells.map(({ sparkline }) => sparkline)), [cells]);
  const runs = useMemo(
    () => new Map(cells.map((cell) => [`${cell.variant} ${cell.seed}`, cell])),
    [cells],
  );
  const runOf = (variant: string, seed: number) => runs.get(`${variant} ${seed}`);
  const progressOf = (variant: string) =>
    seeds.reduce((sum, seed) => sum + (runOf(variant, seed)?.progress ?? 0), 0) /
    Math.max(seeds.length, 1);
  const stateOf = (trial: SearchedTrial) => {
    if (trial.state !== "running") return trial.state;
    return waits(trial, cells) ? "waiting" : `running ${percent(progressOf(trial.variant))}`;
  };
  const found = search.trials
    .filter(({ number }) => passing === null || passing.has(number))
    .toSorted(
      (a, b) => (b.objective ?? -Infinity) - (a.objective ?? -Infinity) || a.number - b.number,
    );
  const shown = all ? found : found.slice(0, SHOWN);
  if (found.length === 0) {
    return <p className="text-sm text-ink-soft">No trial matches the selection.</p>;
  }
  return (
    <>
      <ScrollRegion label="Trials" bleeds>
        <table className="w-full text-sm tabular-nums" onClick={openTrial}>
          <thead className="text-left text-xs text-ink-soft">
            <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
              <th scope="col">Trial</th>
              <th scope="col">
                <span className="flex items-center gap-1">
                  Objective
                  {how && <ChartHelp title="the objective of a trial" text={how} />}
                </span>
              </th>
              {seeds.map((seed) => (
                <th key={seed} scope="col">
                  seed {seed}
                </th>
              ))}
              {names.map((name) => (
                <th key={name} scope="col" className={clsx("font-mono", BESIDE_CELLS)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((trial) => {
              const { number, variant, objective, values, cause } = trial;
              return (
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
                  <td
                    title={objective === null ? undefined : how}
                    className={objective === null ? "text-ink-faint" : undefined}
                  >
                    {objective === null ? stateOf(trial) : decimal(objective)}
                  </td>
                  {seeds.map((seed) => (
                    <TrialCell key={seed} cell={runOf(variant, seed)} {...scale} />
                  ))}
                  {names.map((name) => (
                    <td key={name} className={BESIDE_CELLS}>
                      {name in values ? parameterText(values[name]) : "–"}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
      {found.length > shown.length && (
        <Button size="sm" variant="quiet" className="mt-2" onClick={() => setAll(true)}>
          Show all {plural(found.length, "trial")}
        </Button>
      )}
    </>
  );
}

/** A searched value with four significant digits: `0.9999`, `3e-5`, `64, 64`. */
export function parameterText(value: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value)) return setting(value);
  const rounded = Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  if (size > 0 && size < 1e-3) return rounded.toExponential();
  return String(rounded);
}

/** `Sampler: TPE. 2 seeds a trial. Pruner: median.` */
export function searchText({ sampler, pruner, seeds_per_trial }: SearchResults): string {
  const seeds = plural(seeds_per_trial, "seed");
  return `Sampler: ${SAMPLERS[sampler]}. ${seeds} a trial. Pruner: ${PRUNERS[pruner].toLowerCase()}.`;
}

/** Whether a proposed trial still waits for a slot: none of its runs has started. */
function waits({ state, variant }: SearchedTrial, cells: readonly ExperimentCell[]): boolean {
  if (state !== "running") return false;
  return cells.every((cell) => cell.variant !== variant || cell.status === "waiting");
}

/** `12 of 20 trials complete, 2 running, 1 waiting, 3 pruned, 1 failed`. */
export function countText(
  { counts, wanted, trials }: SearchResults,
  cells: readonly ExperimentCell[],
): string {
  const waiting = trials.filter((trial) => waits(trial, cells)).length;
  const others = [
    [(counts.running ?? 0) - waiting, "running"],
    [waiting, "waiting"],
    [counts.pruned ?? 0, "pruned"],
    [counts.failed ?? 0, "failed"],
  ] as const;
  const named = others.filter(([found]) => found > 0).map(([found, state]) => `${found} ${state}`);
  return [`${counts.complete ?? 0} of ${plural(wanted, "trial")} complete`, ...named].join(", ");
}
