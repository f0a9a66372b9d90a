import type { ConfigDifference } from "@/lib/api";
import { setting } from "@/lib/format";

export interface SettingRow {
  path: string;
  name: string;
  group: string;
  /** Values in the order of the runs. */
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
  runIds: readonly string[],
): SettingRow[] {
  const rows = differences.map(({ path, group, name, values }) => ({
    ...{ path, name, group: GROUPS[group] ?? group },
    values: runIds.map((id) => {
      const set = Object.hasOwn(values, id);
      return { set, text: set ? setting(values[id]) : "not set" };
    }),
  }));
  const software = ({ path }: SettingRow) => /^\/(versions\/|git_revision)/.test(path);
  return [...rows.filter((row) => !software(row)), ...rows.filter(software)];
}
