import type { ConfigDifference } from "@/api/types";
import { setting } from "@/lib/number";
import type { ComparedColumn } from "./columns";

export interface SettingRow {
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
      const of = runIds.map((run) =>
        Object.hasOwn(values, run) ? setting(values[run]) : "not set",
      );
      return {
        set: runIds.some((run) => Object.hasOwn(values, run)),
        text: [...new Set(of)].join(", "),
      };
    }),
  }));
  const software = ({ path }: SettingRow) => /^\/(versions\/|git_revision)/.test(path);
  return [...rows.filter((row) => !software(row)), ...rows.filter(software)];
}
