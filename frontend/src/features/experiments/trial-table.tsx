import clsx from "clsx";
import Link from "next/link";
import type { Experiment, ExperimentCell } from "@/lib/api";
import { decimal, percent } from "@/lib/format";
import { routes } from "@/lib/url";

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

/** Seeds whose cells would be bars if they filled the width. */
const FEW = 3;

/** What a cell says: its score, how far it is, or its status. */
export function cellWords({ status, score, progress }: ExperimentCell): string {
  if (status === "scored") return decimal(score);
  if (status === "training" || status === "paused") return percent(progress);
  return status;
}

/** Variants by seeds, each trial a link to its run. */
export function TrialTable({ experiment }: { experiment: Experiment }) {
  const { variants, seeds, cells } = experiment;
  const found = new Map(cells.map((cell) => [`${cell.variant} ${cell.seed}`, cell]));
  return (
    <div
      className="relative -mx-4 max-h-112 overflow-auto px-4"
      tabIndex={0}
      role="region"
      aria-label="Trials by seed"
    >
      <table
        className={clsx(
          "border-separate border-spacing-1 text-xs tabular-nums",
          seeds.length > FEW ? "w-full" : "min-w-72",
        )}
      >
        <thead className="sticky top-0 z-1 bg-surface">
          <tr className="text-ink-faint">
            <th scope="col" className="text-left font-medium">
              Variant
            </th>
            {seeds.map((seed) => (
              <th key={seed} scope="col" className="px-1 text-right font-medium whitespace-nowrap">
                seed {seed}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {variants.map(({ id, label }) => (
            <tr key={id}>
              <th
                scope="row"
                className="max-w-48 truncate pr-2 text-left font-medium"
                title={label}
              >
                {label}
              </th>
              {seeds.map((seed) => (
                <Cell key={seed} cell={found.get(`${id} ${seed}`)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell }: { cell: ExperimentCell | undefined }) {
  if (!cell) return <td />;
  const words = cellWords(cell);
  return (
    <td
      className={clsx("h-7 min-w-14 rounded-sm px-1.5 text-right", TINTS[cell.status])}
      title={cell.cause ?? cell.status}
      data-status={cell.status}
    >
      {cell.run_id ? (
        <Link href={routes.run(cell.run_id)} className="hover:underline">
          {words}
          {words !== cell.status && <span className="sr-only"> {cell.status}</span>}
        </Link>
      ) : (
        words
      )}
    </td>
  );
}
