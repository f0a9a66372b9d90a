"use client";

import { madeText } from "@/api/method-text";
import type { SearchedTrial, SearchResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { Plot } from "@/charts/figure";
import { domainOf, linearTicks, linePath } from "@/charts/figure-scale";
import { count, decimal, plural, shareText } from "@/lib/number";
import { Card } from "@/ui/card";
import type { Axis, Line } from "./coordinates";

interface HistoryPlotProps {
  trials: readonly SearchedTrial[];
  /** Number of trials that the search will have. */
  wanted: number;
  picked: number | null;
  onPick: (number: number) => void;
}

/** The objective of each trial in the order of the proposals, with the best so far as a line. */
export function HistoryPlot({ trials, wanted, picked, onPick }: HistoryPlotProps) {
  const known = trials.flatMap(({ objective }) => (objective === null ? [] : [objective]));
  const y = domainOf(known, 0.1);
  const last = Math.max(wanted, trials.length) - 1;
  const numbers = linearTicks([0, last], 6).filter(({ at }) => Number.isInteger(at));
  return (
    <Plot
      label={historyText(trials)}
      height={240}
      x={{
        ...{ domain: [-0.5, last + 0.5], label: "trial", format: count },
        ticks: numbers.map(({ at }) => at),
      }}
      y={{
        ...{ domain: y, label: "objective", format: decimal },
        ticks: known.length > 0 ? linearTicks(y).map(({ at }) => at) : [],
      }}
    >
      {(frame) => {
        const steps = trials.flatMap(({ number, best_so_far }) =>
          best_so_far === null
            ? []
            : [
                [frame.x(number - 0.5), frame.y(best_so_far)] as const,
                [frame.x(number + 0.5), frame.y(best_so_far)] as const,
              ],
        );
        return (
          <>
            <path d={linePath(steps)} className="fill-none stroke-good" strokeWidth={1.5} />
            {trials.map((trial) => (
              <TrialMark
                key={trial.number}
                trial={trial}
                x={frame.x(trial.number)}
                y={trial.objective === null ? frame.bottom - 7 : frame.y(trial.objective)}
                picked={trial.number === picked}
                onPick={onPick}
              />
            ))}
          </>
        );
      }}
    </Plot>
  );
}

function historyText(trials: readonly SearchedTrial[]): string {
  const best = trials.findLast(({ is_best_so_far }) => is_best_so_far);
  return best
    ? `Objective of ${plural(trials.length, "trial")}; the best is trial ${best.number} with ${decimal(best.objective)}`
    : `${plural(trials.length, "trial")}, none of them complete`;
}

/** How much of the objective's variation each hyperparameter carries. */
export function ImportanceBars({ search: { importances, made } }: { search: SearchResults }) {
  const how = made.importances;
  return (
    <Card
      title="Importance"
      aside={how && <ChartHelp title="the importance" text={madeText(how)} />}
    >
      {importances.length === 0 ? (
        <p className="text-sm text-ink-soft">
          Needs four complete trials with different objectives.
        </p>
      ) : (
        <>
          <p className="mb-3 text-xs text-ink-faint">
            Share of each hyperparameter in the variation of the objective (PED-ANOVA)
            {how && how.n < 30 && `; with ${how.n} trials, only a rough estimate`}.
          </p>
          <dl className="grid grid-cols-[minmax(0,auto)_minmax(4rem,1fr)_auto] items-center gap-x-3 gap-y-1.5 text-sm">
            {importances.map(({ name, share }) => (
              <div key={name} className="contents">
                <dt className="truncate font-mono text-xs">{name}</dt>
                <dd aria-hidden className="h-3 rounded-sm bg-sunken">
                  <span
                    className="block h-full rounded-sm bg-accent"
                    style={{ width: `${share * 100}%` }}
                  />
                </dd>
                <dd className="text-right text-xs text-ink-soft tabular-nums">
                  {shareText(share)}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Card>
  );
}

interface SlicePlotsProps {
  axes: readonly Axis[];
  lines: readonly Line[];
  passing: ReadonlySet<number>;
  best: SearchResults["best"];
  picked: number | null;
  onPick: (number: number) => void;
}

/** The objective against each hyperparameter, one picture each. */
export function SlicePlots({ axes, lines, passing, best, picked, onPick }: SlicePlotsProps) {
  const y = domainOf(
    lines.map(({ objective }) => objective),
    0.1,
  );
  return (
    <ul className="grid grid-cols-2 gap-x-4 gap-y-2 xl:grid-cols-3">
      {axes.slice(0, -1).map((axis, i) => {
        const shown = lines.filter(({ places }) => places[i] !== null);
        const labels = new Map(thinned(axis.ticks).map(({ at, label }) => [at, label]));
        return (
          <li key={axis.name} className="min-w-0">
            <h3 className="truncate font-mono text-xs text-ink-soft">{axis.name}</h3>
            <Plot
              label={`Objective against ${axis.name}, of ${shown.length} trials`}
              height={160}
              x={{
                ...{ domain: [-0.06, 1.06], label: "" },
                ticks: [...labels.keys()],
                format: (at) => labels.get(at) ?? "",
              }}
              y={{
                ...{ domain: y, label: "", format: decimal },
                ticks: linearTicks(y, 4).map(({ at }) => at),
              }}
            >
              {(frame) =>
                shown.map(({ number, objective, places }) => (
                  <TrialMark
                    key={number}
                    trial={{
                      ...{ number, objective, state: "complete" as const },
                      is_best_so_far: number === best?.number,
                    }}
                    x={frame.x(places[i] ?? 0)}
                    y={frame.y(objective)}
                    picked={number === picked}
                    faint={!passing.has(number)}
                    onPick={onPick}
                  />
                ))
              }
            </Plot>
          </li>
        );
      })}
    </ul>
  );
}

const MOST_TICKS = 3;
const MOST_LETTERS = 18;

/** As many ticks as fit with their labels on a phone, evenly chosen. */
function thinned(ticks: Axis["ticks"]): Axis["ticks"] {
  const longest = Math.max(1, ...ticks.map(({ label }) => label.length));
  const most = Math.max(1, Math.min(MOST_TICKS, Math.floor(MOST_LETTERS / longest)));
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, i) => i % every === 0);
}

interface TrialMarkProps {
  trial: Pick<SearchedTrial, "number" | "state" | "objective" | "is_best_so_far">;
  x: number;
  y: number;
  picked: boolean;
  /** Left out by a brush. */
  faint?: boolean;
  onPick: (number: number) => void;
}

const SHAPES: Record<SearchedTrial["state"], string> = {
  complete: "",
  running: "",
  pruned: "M-4 -3.5L4 -3.5L0 4Z",
  failed: "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",
};

/**
 * A trial in a picture. Its shape tells its state: a disc is complete, a ring still runs, a triangle was given up, a
 * cross failed. By keyboard trials are picked in the table below the pictures.
 */
function TrialMark({ trial, x, y, picked, faint = false, onPick }: TrialMarkProps) {
  const { number, state, objective, is_best_so_far } = trial;
  const words = `Trial ${number}: ${objective === null ? state : decimal(objective)}`;
  return (
    <g
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      className="cursor-pointer"
      data-trial={number}
      data-state={state}
      opacity={faint ? 0.25 : 1}
      onClick={() => onPick(number)}
    >
      <title>{words}</title>
      <circle r={9} className="fill-transparent" />
      {picked && <circle r={7} className="fill-none stroke-ink" strokeWidth={1.5} />}
      {state === "complete" && (
        <circle r={3.5} className={is_best_so_far ? "fill-good" : "fill-accent"} />
      )}
      {state === "running" && (
        <circle r={3.5} className="fill-none stroke-accent" strokeWidth={1.5} />
      )}
      {SHAPES[state] && (
        <path
          d={SHAPES[state]}
          className={state === "failed" ? "fill-none stroke-bad" : "fill-none stroke-ink-faint"}
          strokeWidth={1.5}
        />
      )}
    </g>
  );
}

const MEANINGS: Record<SearchedTrial["state"], string> = {
  complete: "complete",
  running: "waiting or running",
  pruned: "pruned",
  failed: "failed",
};

interface MarkLegendProps {
  states: readonly SearchedTrial["state"][];
  /** Whether a trial was better than all before it. */
  hasBest: boolean;
}

/** A legend of the shapes in the plot. */
export function MarkLegend({ states, hasBest }: MarkLegendProps) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
      <li className="flex items-center gap-1.5">
        <svg aria-hidden width={16} height={14}>
          <path d="M0 7H16" className="stroke-good" strokeWidth={1.5} />
        </svg>
        best so far
      </li>
      {hasBest && <Meaning state="complete" isBest words="better than all before" />}
      {states.map((state) => (
        <Meaning key={state} state={state} words={MEANINGS[state]} />
      ))}
    </ul>
  );
}

interface MeaningProps {
  state: SearchedTrial["state"];
  isBest?: boolean;
  words: string;
}

function Meaning({ state, isBest = false, words }: MeaningProps) {
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden width={14} height={14}>
        <TrialMark
          trial={{ number: 0, state, objective: null, is_best_so_far: isBest }}
          {...{ x: 7, y: 7, picked: false, onPick: () => undefined }}
        />
      </svg>
      {words}
    </li>
  );
}
