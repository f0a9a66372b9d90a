import clsx from "clsx";
import type { Comparison } from "@/api/types";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import type { ComparedColumn } from "./columns";
import { RunTable, stickyClass } from "./run-table";
import type { SeriesStyles } from "./series-styles";
import { type SettingRow, settingRows } from "./settings";

interface SettingsDiffProps {
  comparison: Comparison;
  columns: readonly ComparedColumn[];
  seriesStyles: SeriesStyles;
}

/** The settings that differ between runs, with a column for each run, or for the seeds of a group. */
export function SettingsDiff({
  comparison: { config_diff, runs },
  columns,
  seriesStyles,
}: SettingsDiffProps) {
  const rows = settingRows(config_diff, columns);
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
  const table = (shown: readonly SettingRow[], label: string) => (
    <SettingTable rows={shown} {...{ columns, seriesStyles, label }} />
  );
  return (
    <Card
      title="Settings that differ"
      aside={<span className="text-xs text-ink-faint tabular-nums">{rows.length}</span>}
      bodyClass="flex flex-col"
    >
      {common.length > 0 && table(common, "Settings of all runs")}
      {some.length > 0 && (
        <Disclosure
          className="border-line px-4 py-1.5 not-first:border-t"
          open={common.length === 0 || undefined}
          summary="Settings that not every run has"
          aside={
            <span className="text-xs font-normal text-ink-faint tabular-nums">{some.length}</span>
          }
        >
          <div className="-mx-4 border-t border-line">{table(some, "Settings of some runs")}</div>
        </Disclosure>
      )}
    </Card>
  );
}

interface SettingTableProps {
  label: string;
  rows: readonly SettingRow[];
  columns: readonly ComparedColumn[];
  seriesStyles: SeriesStyles;
}

function SettingTable({ label, rows, columns, seriesStyles }: SettingTableProps) {
  return (
    <RunTable
      label={label}
      heading="Setting"
      nameClass={nameClass}
      columns={columns}
      seriesStyles={seriesStyles}
      className="text-xs"
    >
      {rows.map(({ path, name, group, values }) => (
        <tr key={path} className="border-t border-line align-baseline">
          <th scope="row" className={clsx(nameClass, "text-left font-mono font-medium")}>
            <span className="wrap-anywhere">{name}</span>
            {group && <span className="block font-sans font-normal text-ink-faint">{group}</span>}
          </th>
          {values.map(({ text, set }, i) => (
            <td
              key={columns[i]!.id}
              className={clsx(
                "max-w-64 px-4 py-2 wrap-anywhere",
                set ? "font-mono" : "text-ink-faint",
              )}
            >
              {text}
            </td>
          ))}
        </tr>
      ))}
    </RunTable>
  );
}

const nameClass = `${stickyClass} min-w-36 max-w-56`;
