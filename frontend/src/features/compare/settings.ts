import type { ConfigDifference } from "@/lib/api";
import { setting } from "@/lib/format";

export interface SettingRow {
  path: string;
  name: string;
  group: string;
  /** The different values, in the order of the runs, each with those that have it. */
  values: { text: string; set: boolean; runIds: string[] }[];
}

const GROUPS: Record<string, string> = {
  hyperparameters: "hyperparameter",
  env_options: "environment option",
  checkpoints: "checkpoints",
  evaluation: "evaluation",
  versions: "package",
};

/** The settings that differ, as a person reads them; what names the software comes last. */
export function settingRows(
  differences: readonly Pick<ConfigDifference, "path" | "values">[],
  runIds: readonly string[],
): SettingRow[] {
  const rows = differences.map(({ path, values }) => {
    const [first = "", ...rest] = path.split("/").slice(1).map(unescape);
    return {
      path,
      name: rest.length > 0 ? rest.join(" › ") : first,
      group: rest.length > 0 ? (GROUPS[first] ?? first) : "",
      values: byValue(values, runIds),
    };
  });
  const software = ({ path }: SettingRow) => /^\/(versions\/|git_revision)/.test(path);
  return [...rows.filter((row) => !software(row)), ...rows.filter(software)];
}

function byValue(values: ConfigDifference["values"], runIds: readonly string[]) {
  const found = new Map<string, SettingRow["values"][number]>();
  for (const runId of runIds) {
    const set = Object.hasOwn(values, runId);
    const text = set ? setting(values[runId]) : "not set";
    const same = found.get(text);
    if (same) same.runIds.push(runId);
    else found.set(text, { text, set, runIds: [runId] });
  }
  return [...found.values()];
}

/** RFC 6901. */
function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
