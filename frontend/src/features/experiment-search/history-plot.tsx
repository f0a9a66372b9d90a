"use client";

import type { SearchedTrial } from "@/api/types";
import { Plot } from "@/charts/figure";
import { domainOf, linearTicks, linePath } from "@/charts/figure-scale";
import { count, decimal, plural } from "@/lib/number";
import { TrialMark } from "./trial-mark";

interface HistoryPlotProps {
  trials: readonly SearchedTrial[];
  /** Trials that the search shall have. */
  wanted: number;
  picked: number | null;
  onPick: (number: number) => void;
}

/** The objective of each trial in the order in which they were proposed, with the best so far as a line. */
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
