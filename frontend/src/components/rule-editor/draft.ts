import type { FieldProblem } from "@/api/http";
import type { Rule } from "@/api/types";
import { parseNumber } from "@/lib/number";
import {
  type Action,
  ACTIONS,
  type Condition,
  CONDITIONS,
  type Phrase,
  slotsOf,
  type Values,
} from "./phrases";

/** A condition or an action as it is written. */
export interface Clause {
  /** Id of its phrase. */
  phrase: string;
  values: Values;
}

/** A rule as it is written. */
export interface RuleDraft {
  /** Tells it from others while they are moved. */
  key: number;
  when: Clause;
  do: readonly Clause[];
  atMost: string;
}

/** What can be chosen in the sentences of a run's rules. */
export interface Vocabulary {
  metrics: readonly { title: string; metrics: readonly { name: string; label: string }[] }[];
  knobs: readonly { name: string; label: string }[];
  /** Whether the run is evaluated while it trains. */
  evaluates: boolean;
}

let keys = 0;

/** The same rules, told from all others: for drafts that were stored, and come from another page. */
export function withOwnKeys(drafts: readonly RuleDraft[]): RuleDraft[] {
  return drafts.map((draft) => ({ ...draft, key: (keys += 1) }));
}

export function draftOf(rule: Rule): RuleDraft {
  return {
    key: (keys += 1),
    when: clauseOf(rule.when, CONDITIONS),
    do: rule.do.map((action) => clauseOf(action, ACTIONS)),
    atMost: String(rule.at_most ?? ""),
  };
}

function clauseOf(part: Condition | Action, phrases: readonly Phrase[]): Clause {
  const saved: Record<string, unknown> = { ...part };
  const phrase = phrases.find(
    ({ kind, fixed }) =>
      kind === part.kind && Object.entries(fixed ?? {}).every(([name, is]) => saved[name] === is),
  )!;
  const values = slotsOf(phrase).map(({ field, unit = 1, initial }) => {
    const value = saved[field];
    if (value === undefined) return [field, initial];
    return [field, typeof value === "number" ? String(exact(value / unit)) : String(value ?? "")];
  });
  return { phrase: phrase.id, values: Object.fromEntries(values) as Values };
}

/** A clause of another phrase, which keeps what both have. */
export function rephrased(phrase: Phrase, old: Values, vocabulary: Vocabulary): Clause {
  const first: Record<string, string | undefined> = {
    metric: vocabulary.metrics[0]?.metrics[0]?.name,
    knob: vocabulary.knobs[0]?.name,
  };
  const values = slotsOf(phrase).map(({ field, of, initial }) => {
    const kept = field === "metric" || field === "knob" ? old[field] : undefined;
    return [field, kept || first[of] || initial];
  });
  return { phrase: phrase.id, values: Object.fromEntries(values) as Values };
}

/** The actions that the run can do. */
export function actionsOf({ knobs, evaluates }: Vocabulary): Phrase[] {
  return ACTIONS.filter(
    (phrase) =>
      (phrase.kind !== "evaluate" || evaluates) &&
      (knobs.length > 0 || !slotsOf(phrase).some(({ of }) => of === "knob")),
  );
}

/** The rules that are written, and what is wrong with them by JSON pointer of the request. */
export function written(drafts: readonly RuleDraft[]): { rules: Rule[]; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const rules = drafts.map((draft, i): Rule => {
    const at = `/rules/${i}`;
    const atMost = parseNumber(draft.atMost);
    if (!Number.isInteger(atMost)) {
      problems.push({ pointer: `${at}/at_most`, detail: "Enter how often, as a whole number" });
    }
    return {
      when: partOf<Condition>(draft.when, CONDITIONS, `${at}/when`, problems),
      do: draft.do.map((one, n) => partOf<Action>(one, ACTIONS, `${at}/do/${n}`, problems)),
      at_most: atMost,
    };
  });
  return { rules, problems };
}

function partOf<Made>(
  { phrase: id, values }: Clause,
  phrases: readonly Phrase[],
  at: string,
  problems: FieldProblem[],
): Made {
  const phrase = phraseOf(id, phrases);
  const fields = slotsOf(phrase).map(({ field, of, label, unit = 1 }) => {
    const text = values[field] ?? "";
    if (of === "any metric") return [field, text || null];
    if (of !== "number") return [field, text.trim()];
    const value = parseNumber(text);
    if (!Number.isFinite(value)) {
      problems.push({ pointer: `${at}/${field}`, detail: `${label}: enter a number` });
    }
    return [field, exact(value * unit)];
  });
  // The slots of a phrase are the fields of its kind.
  return { kind: phrase.kind, ...phrase.fixed, ...Object.fromEntries(fields) } as Made;
}

export function phraseOf(id: string, phrases: readonly Phrase[]): Phrase {
  return phrases.find((phrase) => phrase.id === id)!;
}

/**
 * Whether a problem is that of a field. The service names the kind in the pointer to a field whose value is out of
 * bounds (`/rules/0/when/metric/value`), and not in that to one which does not fit the run.
 */
export function concerns({ pointer }: FieldProblem, at: string, kind: string, field: string) {
  return pointer === `${at}/${field}` || pointer === `${at}/${kind}/${field}`;
}

/** Without the noise of binary fractions: 29 % is 0.29. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}
