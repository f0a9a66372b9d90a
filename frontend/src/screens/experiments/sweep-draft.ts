import type { Algorithm, Environment, Hyperparameter, SearchedParameter, Sweep } from "@/api/types";
import { hyperparametersFor } from "@/api/variant";
import { parseNumber, setting } from "@/lib/number";
import { parseValues, typedValues } from "./advanced-draft";

/** Search space of one hyperparameter, as typed. */
export interface SpaceRow {
  name: string;
  searched: boolean;
  kind: SearchedParameter["kind"];
  low: string;
  high: string;
  log: boolean;
  step: string;
  choices: string;
  when: NonNullable<SearchedParameter["when"]>;
  /** Source of the suggestion; empty for a row that the user added. */
  source: string;
}

export interface SweepDraft {
  space: readonly SpaceRow[];
  sampler: NonNullable<Sweep["sampler"]>;
  pruner: NonNullable<Sweep["pruner"]>;
  trials: string;
  seeds: string;
}

export const FIRST_SWEEP: SweepDraft = {
  ...{ space: [], sampler: "tpe", pruner: "none", trials: "20", seeds: "1" },
};

/** What the algorithm suggests to search in the environment. */
export function suggestedSpace(
  environment: Environment | undefined,
  algorithm: Algorithm | undefined,
): SpaceRow[] {
  const schemas = new Map(hyperparametersFor(environment, algorithm).map((one) => [one.name, one]));
  return (algorithm?.search ?? []).flatMap(({ name, parameter, source }) => {
    const schema = schemas.get(name);
    return schema ? [rowOf(schema, parameter, source)] : [];
  });
}

function rowOf(schema: Hyperparameter, parameter: SearchedParameter, source: string): SpaceRow {
  const isChoice = parameter.kind === "choice";
  return {
    ...{
      name: schema.name,
      searched: true,
      kind: parameter.kind,
      source,
      when: parameter.when ?? {},
    },
    low: isChoice ? "" : setting(parameter.low),
    high: isChoice ? "" : setting(parameter.high),
    log: !isChoice && parameter.log === true,
    step: !isChoice && parameter.step && parameter.log !== true ? stepOf(parameter) : "",
    choices: isChoice ? typedValues(schema, parameter.choices) : "",
  };
}

function stepOf({ kind, step }: { kind?: string; step?: number | null }): string {
  return kind === "int" && step === 1 ? "" : setting(step);
}

/** A hyperparameter without a suggestion: its current value is the only choice, which users can overwrite. */
export function ownRow(schema: Hyperparameter): SpaceRow {
  const isNumber = schema.type === "number" || schema.type === "integer";
  const offered = schema.type === "boolean" ? [false, true] : (schema.choices ?? [schema.default]);
  return {
    ...{ name: schema.name, searched: true, log: false, step: "", when: {}, source: "" },
    kind: isNumber ? (schema.type === "integer" ? "int" : "float") : "choice",
    ...{ low: isNumber ? setting(schema.default) : "", high: "" },
    choices: isNumber ? "" : typedValues(schema, offered),
  };
}

/** Conditions that a row can have: each value of each choice that is listed before it. */
export function conditionsOf(
  rows: readonly SpaceRow[],
  place: number,
  schemas: ReadonlyMap<string, Hyperparameter>,
): SpaceRow["when"][] {
  return rows.slice(0, place).flatMap(({ name, kind, searched, choices }) => {
    const schema = schemas.get(name);
    const parsed = schema && searched && kind === "choice" && parseValues(schema, choices);
    return parsed && parsed.ok
      ? parsed.values.map((value) => ({ [name]: [value] as SpaceRow["when"][string] }))
      : [];
  });
}

/** `where use_sde is true`, or `always`. */
export function conditionText(when: SpaceRow["when"]): string {
  const parts = Object.entries(when).map(
    ([name, values]) => `${name} is ${values.map(setting).join(" or ")}`,
  );
  return parts.length > 0 ? `where ${parts.join(" and ")}` : "always";
}

export type ReadRow = { ok: true; parameter: SearchedParameter } | { ok: false; problem: string };

/** Converts a row for the service. */
export function readRow(row: SpaceRow, schema: Hyperparameter, rows: readonly SpaceRow[]): ReadRow {
  const { kind, when, log } = row;
  const missing = Object.keys(when).find(
    (other) => !rows.some(({ name, searched }) => name === other && searched),
  );
  if (missing) {
    return no(
      `It applies only where ${missing} is searched. Search that too, or let it apply always`,
    );
  }
  if (kind === "choice") {
    const parsed = parseValues(schema, row.choices);
    return parsed.ok
      ? { ok: true, parameter: { kind, when, choices: parsed.values as never } }
      : no(parsed.problem);
  }
  const low = parseNumber(row.low);
  const high = parseNumber(row.high);
  const step = row.step.trim() === "" ? null : parseNumber(row.step);
  const numbers = [low, high, step ?? 1];
  if (!numbers.every(Number.isFinite)) return no("Enter a number for both ends");
  if (kind === "int" && !numbers.every(Number.isInteger)) return no("Enter whole numbers");
  if (low >= high) return no("The first end must be below the second");
  if (log && low <= 0) return no("A logarithmic scale starts above 0");
  if (log && step !== null) return no("Either a logarithmic scale or a step");
  return {
    ok: true,
    parameter:
      kind === "int"
        ? { kind, when, low, high, log, step: step ?? 1 }
        : { kind, when, low, high, log, step },
  };
}

const no = (problem: string): ReadRow => ({ ok: false, problem });
