import type { ServiceSetting } from "@/api/types";
import { bytes, setting } from "@/lib/number";

type Change = NonNullable<ServiceSetting["change"]>;

/** A value in the form that users read: `on`, `none`, `500 MB`. */
export function valueText(value: unknown, unit: ServiceSetting["unit"]): string {
  if (unit === "bytes" && typeof value === "number") return bytes(value);
  if (value === true) return "on";
  if (value === false) return "off";
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "none";
  return typeof value === "object" && value !== null && Object.keys(value).length === 0
    ? "none"
    : setting(value);
}

/** The content of the field of a setting: the saved value if there is one, because the field changes that value. */
export function fieldText({ value, unit, change }: ServiceSetting): string {
  const shown = change?.locked_by ? value : (change?.saved ?? value);
  if (shown === null) return "";
  return typeof shown === "object" ? JSON.stringify(shown) : valueText(shown, unit);
}

/**
 * The value of a typed text; null, from an empty field, removes the saved value. A text that is not JSON is sent
 * unchanged, and the service refuses it.
 */
export function valueOf(text: string, kind: Change["kind"]): unknown {
  const typed = text.trim();
  if (typed === "") return null;
  if (kind !== "json") return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/** `max_concurrent_runs` → `Maximum concurrent runs`. */
export function settingTitle(name: string): string {
  const words = name.split("_").map((word) => TITLE_WORDS[word] ?? word);
  const title = words.join(" ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Words that a title writes out, or in capitals. */
const TITLE_WORDS: Record<string, string> = {
  cors: "CORS",
  dir: "folder",
  eval: "evaluation",
  max: "maximum",
  min: "minimum",
  roms: "ROMs",
  url: "URL",
};

const SOURCES: Record<string, string> = {
  flag: "a flag",
  environment: "an environment variable",
  ".env": "the .env file",
};

/** A note beside the field of a setting: what overrides it, or when a change applies. */
export function settingNote({ variable, value, unit, change }: ServiceSetting): string | null {
  if (!change) return null;
  if (change.locked_by) {
    return `Set by ${SOURCES[change.locked_by] ?? change.locked_by}, which wins. Remove ${variable} there to change it here.`;
  }
  if (change.applies === "new_runs") return "Applies to new runs.";
  if (change.applies !== "restart") return null;
  const next = change.saved ?? change.otherwise;
  return JSON.stringify(next) === JSON.stringify(value)
    ? "Applies after a restart."
    : `Still ${valueText(value, unit)}: ${valueText(next, unit)} applies after a restart.`;
}
