const PREFIXES = [
  ["hp_", "Hyperparameters"],
  ["option_", "Options of the environment"],
  ["experiment_", "Experiment"],
] as const;

/** What a column is called on screen, and the part of the list that it belongs to. */
export function columnName(name: string): { label: string; group: string } {
  for (const [prefix, group] of PREFIXES)
    if (name.startsWith(prefix)) return { label: name.slice(prefix.length), group };
  return { label: name, group: "Run" };
}

/** Columns by the part of the list that they belong to, in its order. */
export function groupedColumns(names: readonly string[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const { group } = columnName(name);
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups];
}
