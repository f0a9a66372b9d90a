import clsx from "clsx";
import type { Comparison, ConfigDifference } from "@/api/types";
import { setting, settingText } from "@/lib/number";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { RunTable, stickyClass } from "./figure-table";
import type { ComparedColumn, SeriesStyles } from "./series-styles";

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
            : "All settings are identical, including seed and package versions. The runs should give the same results."}
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

/** Whether differing values still differ in the digits that are shown. */
function tellsApart(values: ConfigDifference["values"]): boolean {
  const all = Object.values(values);
  return new Set(all.map(settingText)).size === new Set(all.map(setting)).size;
}

const nameClass = `${stickyClass} min-w-36 max-w-56`;

interface SettingRow {
  path: string;
  name: string;
  group: string;
  /** In the order of the columns; all that the seeds of a column have. */
  values: { text: string; set: boolean }[];
}

const GROUPS: Record<string, string> = {
  hyperparameters: "hyperparameter",
  env_options: "environment option",
  checkpoints: "checkpoints",
  evaluation: "evaluation",
  reward: "reward in training",
  versions: "package",
};

/** The settings that differ, formatted for reading; software versions come last. */
export function settingRows(
  differences: readonly ConfigDifference[],
  columns: readonly ComparedColumn[],
): SettingRow[] {
  const rows = differences.map(({ path, group, name, values }) => ({
    ...{ path, name, group: GROUPS[group] ?? group },
    values: columns.map(({ id, group: seeds }) => {
      const runIds = seeds?.runIds ?? [id];
      const text = tellsApart(values) ? settingText : setting;
      const of = runIds.map((run) => (Object.hasOwn(values, run) ? text(values[run]) : "not set"));
      return {
        set: runIds.some((run) => Object.hasOwn(values, run)),
        text: [...new Set(of)].join(", "),
      };
    }),
  }));
  const software = ({ path }: SettingRow) => /^\/(versions\/|git_revision)/.test(path);
  return [...rows.filter((row) => !software(row)), ...rows.filter(software)];
}
