import type { Rule } from "@/api/types";

export type Condition = Rule["when"];
export type Action = Rule["do"][number];

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
export type Values = Readonly<Record<string, string>>;

/** Words that may depend on what is filled in, or a slot. */
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

/** What one row of the metric stands for. */
function rowsOf({ metric = "" }: Values): string {
  if (metric.startsWith("train/")) return "updates";
  return metric.startsWith("episode/") ? "episodes" : "rows";
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
    ...{ id: "not_finite", kind: "not_finite", words: "there is no number for" },
    parts: [{ ...metric, of: "any metric" }],
  },
  {
    ...{ id: "plateau", kind: "plateau", words: "nothing was gained in" },
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
        ["report", "save it, and leave a message"],
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
        ["newest", "the newest snapshot with weights that are numbers"],
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

export function slotsOf({ parts }: Phrase): Slot[] {
  return parts.filter((part): part is Slot => typeof part === "object");
}
