"use client";

import type { SearchResults } from "@/api/types";
import { Plot } from "@/charts/figure";
import { domainOf, linearTicks } from "@/charts/figure-scale";
import { decimal } from "@/lib/number";
import type { Axis, Line } from "./coordinates";
import { TrialMark } from "./trial-mark";

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

/** As many ticks as have room for their labels on a phone, evenly left out. */
function thinned(ticks: Axis["ticks"]): Axis["ticks"] {
  const longest = Math.max(1, ...ticks.map(({ label }) => label.length));
  const most = Math.max(1, Math.min(MOST_TICKS, Math.floor(MOST_LETTERS / longest)));
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, i) => i % every === 0);
}
