import type { Hyperparameter } from "@/api/types";
import { count, parseNumber, setting } from "@/lib/number";

export type Parsed = { ok: true; value: unknown } | { ok: false; problem: string };

const no = (problem: string): Parsed => ({ ok: false, problem });

export interface Bounds {
  minimum?: number | null;
  maximum?: number | null;
  exclusive_minimum?: number | null;
  exclusive_maximum?: number | null;
}

export function parseInteger(text: string, bounds: Bounds): Parsed {
  const value = parseNumber(text);
  if (!Number.isInteger(value)) return no("Enter a whole number");
  const parsed = within(value, bounds);
  return parsed.ok && !Number.isSafeInteger(value)
    ? no("Enter a number with fewer digits")
    : parsed;
}

export function parseDecimal(text: string, bounds: Bounds): Parsed {
  const value = parseNumber(text);
  if (!Number.isFinite(value)) return no("Enter a number");
  return within(value, bounds);
}

/** Parses text typed for a hyperparameter and checks it against the type and bounds of its schema. */
export function parseHyperparameter(schema: Hyperparameter, text: string): Parsed {
  if (schema.nullable && ["", "none"].includes(text.trim())) return { ok: true, value: null };
  switch (schema.type) {
    case "integer":
      return parseInteger(text, schema);
    case "number":
      return parseDecimal(text, schema);
    case "boolean":
      return { ok: true, value: text === "true" };
    case "array":
      return parseList(text, schema);
    default:
      return text.trim() === "" ? no("Enter a value") : { ok: true, value: text.trim() };
  }
}

/** The values of the edited, valid fields by name. Invalid and unedited fields are left out. */
export function fittingValues(
  schemas: readonly Hyperparameter[],
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const schema of schemas) {
    const text = typed[schema.name];
    const parsed = text === undefined ? null : parseHyperparameter(schema, text);
    if (parsed?.ok) found[schema.name] = parsed.value;
  }
  return found;
}

function parseList(text: string, bounds: Bounds): Parsed {
  if (text.trim() === "none") return { ok: true, value: [] };
  const parts = text.split(",").filter((part) => part.trim() !== "");
  if (parts.length === 0) return no("Enter whole numbers separated by commas, or none");
  const values: unknown[] = [];
  for (const part of parts) {
    const parsed = parseInteger(part, bounds);
    if (!parsed.ok) return parsed;
    values.push(parsed.value);
  }
  return { ok: true, value: values };
}

function within(value: number, bounds: Bounds): Parsed {
  const { minimum, maximum, exclusive_minimum, exclusive_maximum } = bounds;
  const fits =
    (minimum == null || value >= minimum) &&
    (maximum == null || value <= maximum) &&
    (exclusive_minimum == null || value > exclusive_minimum) &&
    (exclusive_maximum == null || value < exclusive_maximum);
  return fits ? { ok: true, value } : no(`Must be ${describeBounds(bounds)}`);
}

/** The bounds in words, for instance `1 to 1,000` or `above 0, at most 1`; empty without bounds. */
export function describeBounds(bounds: Bounds): string {
  const { minimum, maximum, exclusive_minimum, exclusive_maximum } = bounds;
  if (minimum != null && maximum != null) return `${show(minimum)} to ${show(maximum)}`;
  const parts = [
    minimum != null && `at least ${show(minimum)}`,
    exclusive_minimum != null && `above ${show(exclusive_minimum)}`,
    maximum != null && `at most ${show(maximum)}`,
    exclusive_maximum != null && `below ${show(exclusive_maximum)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

function show(value: number): string {
  return Number.isInteger(value) && Math.abs(value) >= 1000 ? count(value) : setting(value);
}
