/** The value of a hyperparameter as a person would write it: `0.0003`, `1e-8`, `[64, 64]`, `linear`. */
export function setting(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.map(setting).join(", ") || "none";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}
