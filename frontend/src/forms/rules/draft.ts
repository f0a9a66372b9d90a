import type { FieldProblem } from "@/api/http";
import { isOfEpisodes, type MetricRegistry } from "@/api/metric-registry";
import type { Algorithm, Rule } from "@/api/types";
import { parseNumber, plural } from "@/lib/number";

/** A condition or an action as the user edits it. */
export interface Clause {
  /** Id of its phrase. */
  phrase: string;
  values: Values;
}

/** A rule as the user edits it. */
export interface RuleDraft {
  /** Identifies it while rules are moved. */
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

/** The same rules with new ids, for drafts that were stored or come from another page. */
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

/** Changes a clause to another phrase and keeps the values of the fields that both have. */
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

/** The rules as a request, and their problems by JSON pointer of the request. */
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

export interface Template {
  title: string;
  rule: Rule;
}

const RETURN = "rollout/ep_rew_mean";
const KL = "train/approx_kl";
const LOSS = "train/loss";

/** Template rules that the run supports. */
export function templatesFor(
  threshold: number | null,
  { metrics, knobs, evaluates }: Vocabulary,
): Template[] {
  const names = new Set(metrics.flatMap((group) => group.metrics.map(({ name }) => name)));
  const best = evaluates && names.has("eval/mean_reward") ? "eval/mean_reward" : RETURN;
  const learningRate = knobs.find(({ name }) => name === "learning_rate");
  const templates: (Template | false)[] = [
    threshold !== null &&
      names.has(RETURN) && {
        title: "Stop when solved for 5 rows in a row",
        rule: {
          when: { kind: "metric", metric: RETURN, side: "at_least", value: threshold, rows: 5 },
          do: [{ kind: "stop", then: "report" }],
          at_most: 1,
        },
      },
    threshold !== null &&
      names.has(RETURN) && {
        title: "Notify when solved",
        rule: {
          when: { kind: "metric", metric: RETURN, side: "at_least", value: threshold, rows: 1 },
          do: [{ kind: "notify", message: "" }],
          at_most: 1,
        },
      },
    names.has(best) && {
      title: "Snapshot at each new best",
      rule: {
        when: { kind: "new_best", metric: best, better: "higher" },
        do: [{ kind: "snapshot", message: "New best" }],
        at_most: 100,
      },
    },
    {
      title: "Stop at 20 minutes",
      rule: {
        when: { kind: "seconds", seconds: 1200 },
        do: [{ kind: "stop", then: "report" }],
        at_most: 1,
      },
    },
    names.has(KL) &&
      learningRate !== undefined && {
        title: "Halve the learning rate when the KL is too high",
        rule: {
          when: { kind: "metric", metric: KL, side: "above", value: 0.1, rows: 3 },
          do: [{ kind: "scale_knob", knob: learningRate.name, factor: 0.5 }],
          at_most: 10,
        },
      },
    {
      title: names.has(LOSS)
        ? "Roll back when the loss is not a number"
        : "Roll back when a metric is not a number",
      rule: {
        when: { kind: "not_finite", metric: names.has(LOSS) ? LOSS : null },
        do: [
          { kind: "roll_back", to: "newest" },
          ...(learningRate !== undefined
            ? [{ kind: "scale_knob" as const, knob: learningRate.name, factor: 0.5 }]
            : []),
        ],
        at_most: 3,
      },
    },
    {
      title: "Roll back when training raises an error",
      rule: { when: { kind: "error" }, do: [{ kind: "roll_back", to: "newest" }], at_most: 3 },
    },
    {
      title: names.has(LOSS)
        ? "Pause when the loss is not a number"
        : "Pause when a metric is not a number",
      rule: {
        when: { kind: "not_finite", metric: names.has(LOSS) ? LOSS : null },
        do: [{ kind: "pause" }],
        at_most: 10,
      },
    },
  ];
  return templates.filter((template) => template !== false);
}

/** What is allowed and hardly meant. `rule` counts from 0. */
export interface Warning {
  rule: number;
  detail: string;
}

/** A rule that may fire more often than this on single rows gets a warning. */
const MANY = 20;

/** Warnings about rules that conflict with each other, or that may fire at almost every row. */
export function warningsOf(rules: readonly Rule[]): Warning[] {
  return rules.flatMap((rule, index) => [
    ...rules
      .slice(0, index)
      .flatMap((earlier, place) => contradiction(earlier, place, rule, index)),
    ...oftenFiring(rule, index),
  ]);
}

function contradiction(earlier: Rule, place: number, rule: Rule, index: number): Warning[] {
  if (!mayHoldTogether(earlier.when, rule.when)) return [];
  const shared = rule.do
    .map(decidesAbout)
    .filter((target) => target !== null && earlier.do.some((one) => decidesAbout(one) === target));
  return [...new Set(shared)].map((target) => ({
    rule: index,
    detail: `Rule ${place + 1} also changes ${target}. If both fire at the same row, only rule ${place + 1}'s change is applied.`,
  }));
}

/** Whether one row can make both true: a metric cannot be on two sides at once. */
function mayHoldTogether(one: Condition, other: Condition): boolean {
  if (one.kind !== "metric" || other.kind !== "metric") {
    return JSON.stringify(one) === JSON.stringify(other);
  }
  if (one.metric !== other.metric) return false;
  const [low, high] = [one, other].sort((a, b) => Number(isUpper(a)) - Number(isUpper(b)));
  if (isUpper(low!) === isUpper(high!)) return true;
  if (low!.value !== high!.value) return high!.value < low!.value;
  return low!.side === "at_most" && high!.side === "at_least";
}

function isUpper({ side = "above" }: Extract<Condition, { kind: "metric" }>): boolean {
  return side === "above" || side === "at_least";
}

/** As in the service: of two actions that change the same thing, the first counts. */
function decidesAbout(action: Action): string | null {
  if (action.kind === "stop" || action.kind === "pause" || action.kind === "roll_back") {
    return "how training continues";
  }
  if (action.kind === "set_knob" || action.kind === "scale_knob") {
    return `the ${action.knob.replaceAll("_", " ")}`;
  }
  return null;
}

function oftenFiring({ when, at_most = 10 }: Rule, index: number): Warning[] {
  if (when.kind !== "metric" || when.rows !== 1 || at_most <= MANY) return [];
  return [
    {
      rule: index,
      detail: `If the metric goes back and forth, this rule fires at every other row, up to ${plural(at_most, "time")}. Require more rows in a row, or lower its maximum number of firings.`,
    },
  ];
}

/** Metrics that only evaluations during training log. */
const EVALUATION = "eval/";

/** The metrics that rules may look at, grouped. */
export function metricsFor(
  registry: Pick<MetricRegistry, "grouped">,
  algorithm: Pick<Algorithm, "metrics"> | undefined,
  evaluates: boolean,
): Vocabulary["metrics"] {
  const logged = new Set(algorithm?.metrics);
  return registry.grouped(
    ({ name }) => logged.has(name) || (evaluates && name.startsWith(EVALUATION)),
  );
}

type Condition = Rule["when"];
type Action = Rule["do"][number];

/** A place in a sentence that is filled in: `field` of the condition or action. */
export interface Slot {
  field: string;
  /** Its accessible name. */
  label: string;
  of: "metric" | "any metric" | "knob" | "choice" | "number" | "text";
  initial: string;
  choices?: readonly (readonly [value: string, words: string])[];
  /** One of the unit in which it is typed, in the unit of the service. */
  unit?: number;
}

/** Values of a clause's slots as typed, by field. */
type Values = Readonly<Record<string, string>>;

/** Words that may depend on the values of the slots, or a slot. */
export type Part = string | Slot | ((values: Values) => string);

/** How a kind of condition or action is said. Some say one value of a field in a word of their own (`fixed`). */
export interface Phrase<Kind extends string = string> {
  id: string;
  kind: Kind;
  /** In the list of what can be chosen. */
  words: string;
  parts: readonly Part[];
  fixed?: Readonly<Record<string, number>>;
}

const metric: Slot = { field: "metric", label: "Metric", of: "metric", initial: "" };
const knob: Slot = { field: "knob", label: "Hyperparameter", of: "knob", initial: "" };
const message: Slot = { field: "message", label: "Message", of: "text", initial: "" };
const number = (field: string, label: string, initial: string, unit = 1): Slot => ({
  ...{ field, label, of: "number", initial, unit },
});
const choice = (field: string, label: string, ...choices: (readonly [string, string])[]): Slot => ({
  ...{ field, label, of: "choice", choices, initial: choices[0]?.[0] ?? "" },
});

const better = choice(
  "better",
  "Direction",
  ["higher", "higher is better"],
  ["lower", "lower is better"],
);

/** The word for one row of the metric. */
function rowsOf({ metric = "" }: Values): string {
  if (metric.startsWith("train/")) return "updates";
  return isOfEpisodes(metric) ? "episodes" : "rows";
}

export const CONDITIONS: readonly Phrase<Condition["kind"]>[] = [
  {
    ...{ id: "metric", kind: "metric", words: "the metric" },
    parts: [
      metric,
      "is",
      choice(
        "side",
        "Side",
        ["above", "above"],
        ["at_least", "at least"],
        ["below", "below"],
        ["at_most", "at most"],
      ),
      number("value", "Value", ""),
      "for",
      number("rows", "Times in a row", "3"),
      rowsOf,
    ],
  },
  {
    ...{ id: "not_finite", kind: "not_finite", words: "a value is not a number in" },
    parts: [{ ...metric, of: "any metric" }],
  },
  {
    ...{ id: "plateau", kind: "plateau", words: "there is no improvement of" },
    parts: [
      metric,
      "for",
      number("steps", "Steps", "50000"),
      "steps by more than",
      number("by", "Difference", "0"),
      "where",
      better,
    ],
  },
  {
    ...{ id: "fall", kind: "fall", words: "there is a fall of" },
    parts: [number("share", "Percent", "30", 0.01), "% from the best of", metric],
  },
  {
    ...{ id: "new_best", kind: "new_best", words: "there is a new best of" },
    parts: [metric, "where", better],
  },
  { id: "error", kind: "error", words: "training raises an error", parts: [] },
  {
    ...{ id: "seconds", kind: "seconds", words: "training has taken" },
    parts: [number("seconds", "Minutes", "20", 60), "minutes"],
  },
  {
    ...{ id: "steps", kind: "steps", words: "training has done" },
    parts: [number("steps", "Steps", ""), "steps"],
  },
  {
    ...{ id: "disk", kind: "disk", words: "the run takes" },
    parts: [number("bytes", "Megabytes", "1000", 1e6), "MB on disk"],
  },
];

export const ACTIONS: readonly Phrase<Action["kind"]>[] = [
  {
    ...{ id: "stop", kind: "stop", words: "stop" },
    parts: [
      choice(
        "then",
        "What then",
        ["save", "and save the policy"],
        ["report", "save it, and send a message"],
        ["abort", "without saving"],
      ),
      "with",
      number("grace_seconds", "Seconds of grace", "0"),
      "seconds to finish the update",
    ],
  },
  { id: "pause", kind: "pause", words: "pause", parts: [] },
  {
    ...{ id: "roll_back", kind: "roll_back", words: "roll back" },
    parts: [
      "to",
      choice(
        "to",
        "Where to",
        ["newest", "the newest snapshot with finite weights"],
        ["best", "the snapshot of the best policy"],
      ),
    ],
  },
  {
    ...{ id: "snapshot", kind: "snapshot", words: "take a snapshot" },
    parts: ["with the message", message],
  },
  { id: "evaluate", kind: "evaluate", words: "evaluate the policy", parts: [] },
  {
    ...{ id: "halve", kind: "scale_knob", words: "halve", fixed: { factor: 0.5 } },
    parts: ["the", knob],
  },
  {
    ...{ id: "double", kind: "scale_knob", words: "double", fixed: { factor: 2 } },
    parts: ["the", knob],
  },
  {
    ...{ id: "scale_knob", kind: "scale_knob", words: "multiply" },
    parts: ["the", knob, "by", number("factor", "Factor", "0.8")],
  },
  {
    ...{ id: "set_knob", kind: "set_knob", words: "set" },
    parts: ["the", knob, "to", number("value", "Value", "")],
  },
  { id: "notify", kind: "notify", words: "leave the message", parts: [message] },
];

function slotsOf({ parts }: Phrase): Slot[] {
  return parts.filter((part): part is Slot => typeof part === "object");
}
