import type { ExperimentResults } from "@/lib/api";
import { decimal, interval } from "@/lib/format";

/** Share of the width at which `value` lies, from 0 to 100. */
export function placeIn(value: number, minimum: number, maximum: number): number {
  return maximum > minimum ? ((value - minimum) / (maximum - minimum)) * 100 : 50;
}

interface ForestLineProps {
  forest: ExperimentResults["forest"];
  variant: string;
}

/** One line of a forest plot: the interval, the interquartile mean on it, and the threshold; nothing without a score. */
export function ForestLine({
  forest: { rows, minimum, maximum, reference },
  variant,
}: ForestLineProps) {
  const row = rows.find((one) => one.variant === variant);
  if (!row || minimum === null || maximum === null) return null;
  const at = (value: number) => placeIn(value, minimum, maximum);
  const { iqm, low, high } = row;
  return (
    <div
      role="img"
      aria-label={`${row.label}: ${decimal(iqm)} ${interval(low, high)}`}
      className="relative mx-1.5 h-5 min-w-32"
    >
      <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
      {reference !== null && (
        <span
          className="absolute inset-y-0 border-l border-dashed border-ink-faint"
          style={{ left: `${at(reference)}%` }}
        />
      )}
      {low !== null && high !== null && (
        <span
          className="absolute top-1/2 h-1 -translate-y-1/2 rounded-full bg-accent opacity-50"
          style={{ left: `${at(low)}%`, width: `${at(high) - at(low)}%` }}
        />
      )}
      <span
        className="absolute top-1/2 size-2.5 -translate-1/2 rounded-full bg-accent"
        style={{ left: `${at(iqm)}%` }}
      />
    </div>
  );
}
