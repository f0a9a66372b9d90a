import type { Hyperparameter } from "@/api/types";
import { type Bounds, parseHyperparameter, parseInteger } from "@/forms/parse";
import { setting } from "@/lib/number";

/** A hyperparameter with what was typed for it. */
export interface TypedField {
  name: string;
  text: string;
}

export type ParsedValues = { ok: true; values: unknown[] } | { ok: false; problem: string };

/** What stands between two values: lists have commas of their own. */
export function separatorOf({ type }: Hyperparameter): ";" | "," {
  return type === "array" ? ";" : ",";
}

/** Several values of a hyperparameter as they are typed: `0.9, 0.99`, or `64, 64; 256, 256` of lists. */
export function typedValues(schema: Hyperparameter, values: readonly unknown[]): string {
  return values.map(setting).join(`${separatorOf(schema)} `);
}

/** Reads several values of a hyperparameter, each of which has to fit its schema. */
export function parseValues(schema: Hyperparameter, text: string): ParsedValues {
  const separator = separatorOf(schema);
  const parts = text.split(separator).filter((part) => part.trim() !== "");
  if (parts.length === 0) return { ok: false, problem: `Give values, with “${separator}” between` };
  const values: unknown[] = [];
  for (const part of parts) {
    const trimmed = part.trim();
    if (schema.type === "boolean" && trimmed !== "true" && trimmed !== "false") {
      return { ok: false, problem: `${trimmed}: true or false` };
    }
    if (
      schema.choices &&
      !schema.choices.includes(trimmed) &&
      !(schema.nullable && trimmed === "none")
    ) {
      return { ok: false, problem: `${trimmed}: one of ${schema.choices.join(", ")}` };
    }
    const parsed = parseHyperparameter(schema, trimmed);
    if (!parsed.ok) return { ok: false, problem: `${trimmed}: ${parsed.problem}` };
    values.push(parsed.value);
  }
  const seen = values.map((value) => JSON.stringify(value));
  const twice = values.find((_, i) => seen.indexOf(seen[i]!) !== i);
  return twice === undefined
    ? { ok: true, values }
    : { ok: false, problem: `${setting(twice)} is there twice` };
}

/** Reads one value of a hyperparameter. */
export function parseValue(schema: Hyperparameter, text: string): ParsedValues {
  const parsed = parseValues(schema, text);
  return parsed.ok && parsed.values.length > 1 ? { ok: false, problem: "One value" } : parsed;
}

/** A whole number; null where it is none within `bounds`, and why is then put into `problems` at `pointer`. */
export function readWhole(
  text: string,
  bounds: Bounds,
  pointer: string,
  problems: Map<string, string>,
): number | null {
  const parsed = parseInteger(text, bounds);
  if (parsed.ok) return parsed.value as number;
  problems.set(pointer, parsed.problem);
  return null;
}
