import type { Controls } from "@/api/types";
import { actionText, type DrawnSpace } from "@/player/reading/space";

/** An action that can be tried, by what it does. */
export interface TriedAction {
  label: string;
  value: unknown;
}

/** An action for each binding of the keys: a counted one, or one component at its value and the others at rest. */
export function triedActions({ bindings, neutral }: Controls, space: DrawnSpace): TriedAction[] {
  const counted = space.kind === "Discrete";
  const found = new Map<string, unknown>();
  for (const { label, value, component } of bindings) {
    const action = counted
      ? value
      : neutral.map((rest, place) => (place === component ? value : (rest ?? 0)));
    const name = label || (counted ? `action ${value}` : `component ${component} at ${value}`);
    if (!found.has(name)) found.set(name, action);
  }
  const rest = neutral[0];
  if (counted && rest != null && ![...found.values()].includes(rest))
    found.set(actionText(rest, space) ?? "nothing", rest);
  return [...found].map(([label, value]) => ({ label, value }));
}
