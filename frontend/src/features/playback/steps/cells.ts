import type { StepRecord, StepsInfo } from "@/lib/api";
import { decimal } from "@/lib/format";

/** A number of a record; nothing where the record says null. */
export function number(value: number | null): string {
  return value === null ? "" : decimal(value);
}

/** An action by its name, or number by number; nothing at the reset. */
export function actionText(action: StepRecord["action"], info: StepsInfo): string {
  if (action === null) return "";
  if (typeof action === "number") {
    return info.action.labels[action - (info.action.starts?.[0] ?? 0)] ?? String(action);
  }
  if (Array.isArray(action)) {
    return action
      .map((part) => (typeof part === "number" ? decimal(part) : String(part)))
      .join(" · ");
  }
  return JSON.stringify(action);
}
