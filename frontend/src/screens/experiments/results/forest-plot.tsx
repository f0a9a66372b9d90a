import type { ExperimentResults } from "@/api/types";
import { linearTicks } from "@/charts/figure-scale";
import { decimal, interval } from "@/lib/number";

type Forest = ExperimentResults["forest"];

/** Position of `value` as a share of the width, from 0 to 100. */
export function placeIn(value: number, minimum: number, maximum: number): number {
  return maximum > minimum ? ((value - minimum) / (maximum - minimum)) * 100 : 50;
}

const TICKS = 3;
const frame = "relative mx-3 min-w-32";

interface ForestLineProps {
  forest: Forest;
  variant: ExperimentResults["variants"][number];
}

/**
 * One line of a forest plot: a dot for each seed, the interval, the interquartile mean on it, and the threshold;
 * nothing without a score.
 */
export function ForestLine({ forest, variant: { variant, label, scores } }: ForestLineProps) {
  const { rows, minimum, maximum, reference } = forest;
  const row = rows.find((one) => one.variant === variant);
  if (!row || minimum === null || maximum === null) return null;
  const at = (value: number) => `${placeIn(value, minimum, maximum)}%`;
  const { iqm, low, high } = row;
  return (
    <div
      role="img"
      aria-label={`${label}: ${decimal(iqm)} ${interval(low, high)}`}
      className={`${frame} h-6`}
    >
      <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
      {reference !== null && (
        <span
          className="absolute inset-y-0 border-l border-dashed border-ink-faint"
          style={{ left: at(reference) }}
        />
      )}
      {scores.map(({ seed, score }, place) => (
        <span
          key={place}
          data-seed={seed}
          className="absolute bottom-0 size-1.5 -translate-x-1/2 rounded-full bg-ink-faint opacity-60"
          style={{ left: at(score) }}
        />
      ))}
      {low !== null && high !== null && (
        <span
          className="absolute top-1/2 h-1 -translate-y-1/2 rounded-full bg-accent opacity-50"
          style={{ left: at(low), right: `${100 - placeIn(high, minimum, maximum)}%` }}
        />
      )}
      <span
        className="absolute top-1/2 size-2.5 -translate-1/2 rounded-full bg-accent"
        style={{ left: at(iqm) }}
      />
    </div>
  );
}

interface ForestFootProps {
  forest: Forest;
  /** Columns of the table before and after the plot. */
  before: number;
  after: number;
}

/** The foot of a table with a forest plot in one of its columns: its scale. */
export function ForestFoot({ forest, before, after }: ForestFootProps) {
  if (forest.rows.length === 0) return null;
  return (
    <tfoot className="max-md:block">
      <tr className="align-top max-md:block">
        <td colSpan={before} className="max-md:hidden" />
        <td className="pr-4 max-md:block max-md:pr-0">
          <ForestAxis forest={forest} />
        </td>
        {after > 0 && <td colSpan={after} className="max-md:hidden" />}
      </tr>
    </tfoot>
  );
}

/** The scale below the lines of a forest plot, with a label at the threshold. */
function ForestAxis({ forest: { minimum, maximum, reference } }: { forest: Forest }) {
  if (minimum === null || maximum === null) return null;
  const at = (value: number) => placeIn(value, minimum, maximum);
  const ticks = linearTicks([minimum, maximum], TICKS);
  return (
    <div aria-hidden className={`${frame} h-9 text-2xs text-ink-faint tabular-nums`}>
      <span className="absolute inset-x-0 top-0 h-px bg-control-line" />
      {ticks.map(({ at: value, label }) => (
        <span
          key={value}
          className="absolute top-0 flex -translate-x-1/2 flex-col items-center"
          style={{ left: `${at(value)}%` }}
        >
          <span className="h-1 w-px bg-control-line" />
          {label}
        </span>
      ))}
      {reference !== null && (
        <span
          className={`absolute top-5 whitespace-nowrap ${at(reference) > 50 ? "-translate-x-full" : ""}`}
          style={{ left: `${at(reference)}%` }}
        >
          threshold {decimal(reference)}
        </span>
      )}
    </div>
  );
}
