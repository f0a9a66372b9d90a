import clsx from "clsx";
import { Card } from "@/components/ui/card";
import { Disclosure } from "@/components/ui/disclosure";
import type { Comparison } from "@/lib/api";
import type { SeriesStyles } from "./series-styles";
import { type SettingRow, settingRows } from "./settings";
import { Swatch } from "./swatch";

interface SettingsDiffProps {
  comparison: Comparison;
  seriesStyles: SeriesStyles;
}

/** Only what is not the same in all runs. */
export function SettingsDiff({
  comparison: { config_diff, runs },
  seriesStyles,
}: SettingsDiffProps) {
  const rows = settingRows(
    config_diff,
    runs.map(({ run }) => run.id),
  );
  const nameOf = new Map(runs.map(({ run }) => [run.id, run.name]));
  if (rows.length === 0) {
    return (
      <Card title="Settings">
        <p className="text-sm text-ink-soft">
          {runs.length === 1
            ? "There is nothing to compare the settings with yet."
            : "All settings are the same, seed and packages included: the runs repeat each other."}
        </p>
      </Card>
    );
  }
  const common = rows.filter(({ values }) => values.every(({ set }) => set));
  const some = rows.filter((row) => !common.includes(row));
  return (
    <Card
      title="Settings that differ"
      aside={<span className="text-xs text-ink-faint tabular-nums">{rows.length}</span>}
      bodyClass="flex flex-col"
    >
      <SettingList rows={common} seriesStyles={seriesStyles} nameOf={nameOf} />
      {some.length > 0 && (
        <Disclosure
          className="border-line px-4 py-1.5 not-first:border-t"
          open={common.length === 0 || undefined}
          summary="Settings that not every run has"
          aside={
            <span className="text-xs font-normal text-ink-faint tabular-nums">{some.length}</span>
          }
        >
          <div className="-mx-4 border-t border-line">
            <SettingList rows={some} seriesStyles={seriesStyles} nameOf={nameOf} />
          </div>
        </Disclosure>
      )}
    </Card>
  );
}

interface SettingListProps {
  rows: readonly SettingRow[];
  seriesStyles: SeriesStyles;
  nameOf: ReadonlyMap<string, string>;
}

function SettingList({ rows, seriesStyles, nameOf }: SettingListProps) {
  return (
    <ul className="divide-y divide-line">
      {rows.map(({ path, name, group, values }) => (
        <li
          key={path}
          className="grid gap-x-4 gap-y-1 px-4 py-2 text-xs md:grid-cols-[14rem_minmax(0,1fr)]"
        >
          <h3 className="min-w-0 font-mono font-medium wrap-anywhere">
            {name}
            {group && (
              <span className="ml-2 inline-block font-sans font-normal text-ink-faint">
                {group}
              </span>
            )}
          </h3>
          <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
            {values.map(({ text, set, runIds }) => (
              <div key={text} className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
                <dt className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5">
                  {runIds.map((runId) => (
                    <span key={runId} className="flex max-w-40 items-center gap-1.5">
                      <Swatch seriesStyle={seriesStyles.get(runId)} />
                      <span title={nameOf.get(runId)} className="truncate text-ink-soft">
                        {nameOf.get(runId)}
                      </span>
                    </span>
                  ))}
                </dt>
                <dd
                  className={clsx(
                    "min-w-0 wrap-anywhere tabular-nums",
                    set ? "font-mono font-medium" : "text-ink-faint",
                  )}
                >
                  {text}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
