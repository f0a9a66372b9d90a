import { madeText } from "@/api/made";
import type { SearchResults } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { shareText } from "@/lib/number";
import { Card } from "@/ui/card";

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
          It can be told once four trials are complete and differ in their objective.
        </p>
      ) : (
        <>
          <p className="mb-3 text-xs text-ink-faint">
            Share in how the objective varies, by PED-ANOVA
            {how && how.n < 30 && `; of ${how.n} trials it is a hint`}.
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
