import type { DryRun } from "@/api/types";
import { count, plural } from "@/lib/number";

interface DryRunFiringsProps {
  found: DryRun;
  /** The run whose rows they were, in a sentence. */
  run?: string;
}

/** Where the rules would have fired in a run. */
export function DryRunFirings({ found, run = "this run" }: DryRunFiringsProps) {
  const { firings, total, unknown } = found;
  const notKnown = unknown.length > 0 && (
    <p className="text-xs text-ink-faint">
      Of {unknown.length === 1 ? "rule" : "rules"} {unknown.join(" and ")} it cannot be known:
      nothing tells afterwards what a run took on disk, or where an error was raised.
    </p>
  );
  if (total === 0) {
    return (
      <div role="status" className="mt-3 flex flex-col gap-1 text-sm text-ink-soft">
        <p>
          {unknown.length === 0 ? "None of these rules" : "None of the other rules"} would have
          fired in {run}.
        </p>
        {notKnown}
      </div>
    );
  }
  return (
    <section aria-label="Dry run" className="mt-3 border-t border-line pt-3">
      <p role="status" className="text-sm font-medium">
        Would have fired {plural(total, "time")} in {run}
        {firings.length < total && `, of which these are the first ${count(firings.length)}`}
      </p>
      <p className="text-xs text-ink-faint">
        What an action would have changed about later rows cannot be known.
      </p>
      {notKnown}
      <ol className="mt-1.5 max-h-80 divide-y divide-line overflow-y-auto text-xs">
        {firings.map(({ rule, step, count: times, says, done, not_done }) => (
          <li key={`${step} ${rule} ${times}`} className="flex gap-3 py-1.5">
            <span className="w-20 shrink-0 font-mono tabular-nums">{count(step)}</span>
            <span className="min-w-0">
              <span className="text-ink-soft">
                Rule {rule}
                {times > 1 && `, time ${times}`}: {says}.
              </span>
              {not_done.map((reason) => (
                <span key={reason} className="block text-warn">
                  {reason}
                </span>
              ))}
              {done.length === 0 && (
                <span className="block text-ink-faint">Nothing was left to do.</span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
