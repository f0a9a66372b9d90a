/** A trial of an experiment in a table: its status, its score and its returns. */

import clsx from "clsx";
import { memo } from "react";
import type { ExperimentCell } from "@/api/types";
import { sparklineOn, type SparklineScale } from "@/charts/sparkline";
import { decimal, percent } from "@/lib/number";
import { addressOf } from "@/lib/root-path";
import { routes } from "@/lib/routes";

const TINTS: Record<ExperimentCell["status"], string> = {
  waiting: "text-ink-faint",
  training: "bg-accent-tint text-accent-strong",
  paused: "bg-warn-tint text-warn",
  scoring: "bg-accent-tint text-accent-strong",
  scored: "bg-good-tint text-good",
  failed: "bg-bad-tint text-bad-strong",
  pruned: "bg-rest-tint text-ink-soft",
  skipped: "text-ink-faint",
};

const WIDTH = 64;
const HEIGHT = 18;

/** The text of a cell: its score, its progress, or its status. */
export function cellText({ status, score, progress }: ExperimentCell): string {
  if (status === "scored") return decimal(score);
  if (status === "training" || status === "paused") return percent(progress);
  return status;
}

interface TrialCellProps {
  cell: ExperimentCell | undefined;
  /** Lowest return of all trials in the environment, and the distance to the highest. */
  low: number;
  span: number;
}

/**
 * One trial as a link to its run: its text, and a curve of its returns up to its progress. It has few elements, because
 * a table has up to a thousand of them; the table handles clicks on the links (`useOpenLinks`).
 */
export const TrialCell = memo(function TrialCell({ cell, low, span }: TrialCellProps) {
  if (!cell) return <td />;
  const { status, cause, run_id } = cell;
  const words = cellText(cell);
  const hasReturns = cell.sparkline.length > 0;
  const returns = hasReturns && <Returns cell={cell} scale={{ low, span }} />;
  /** The same height without returns, so that a table does not move when they arrive. */
  const inset = hasReturns ? "p-1" : "px-1 py-3.5";
  return (
    <td
      className={clsx("min-w-16 rounded-sm p-0 text-right leading-4", TINTS[status])}
      title={cause ?? status}
      data-status={status}
    >
      {run_id ? (
        <a
          href={addressOf(routes.run(run_id))}
          aria-label={words === status ? undefined : `${words} ${status}`}
          className={clsx("block rounded-sm hover:underline", inset)}
        >
          {words}
          {returns}
        </a>
      ) : (
        <span className={clsx("block", inset)}>
          {words}
          {returns}
        </span>
      )}
    </td>
  );
});

function Returns({ cell, scale }: { cell: ExperimentCell; scale: SparklineScale }) {
  const width = WIDTH * cell.trained;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      className="mt-0.5 block h-4.5 w-full"
    >
      <path
        d={sparklineOn(scale, cell.sparkline, { width, height: HEIGHT })}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.25}
        strokeOpacity={0.75}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
