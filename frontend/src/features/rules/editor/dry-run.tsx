import type { DryRun } from "@/lib/api";
import { count, plural } from "@/lib/format";

/** Where the rules would have fired in this run. */
export function DryRunFirings({ found: { firings, total } }: { found: DryRun }) {
  if (total === 0) {
    return (
      <p role="status" className="mt-3 text-sm text-ink-soft">
        None of these rules would have fired in this run.
      </p>
    );
  }
  return (
    <section aria-label="Dry run" className="mt-3 border-t border-line pt-3">
      <p role="status" className="text-sm font-medium">
        Would have fired {plural(total, "time")}
        {firings.length < total && `, of which these are the first ${count(firings.length)}`}
      </p>
      <p className="text-xs text-ink-faint">
        What an action would have changed about later rows cannot be known.
      </p>
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
