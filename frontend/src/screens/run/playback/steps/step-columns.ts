import type { StepRecord, StepsInfo } from "@/api/types";
import { count, decimal } from "@/lib/number";
import { actionChoices, actionText, isCounted, nameOf } from "@/player/reading/space";

/** A column of the table of steps. */
export interface StepColumn {
  /** By which the choice of columns is kept. */
  name: string;
  title: string;
  group: "Step" | "Policy" | "Observation" | "Action";
  isText: boolean;
  /** The column that the service sorts by; null if it cannot. */
  sortBy: string | null;
  /** Least width in rem. */
  width: number;
  /** Whether it takes the remaining width. */
  grows?: boolean;
  text: (record: StepRecord) => string;
}

/** The columns that the user added to the default ones, and those that the user removed. */
export interface ColumnChoice {
  added: readonly string[];
  removed: readonly string[];
}

export const FIRST_CHOICE: ColumnChoice = { added: [], removed: [] };

/** The column that is always shown, because it identifies the step. */
export const FIXED = "index";

const SHOWN_AT_FIRST: readonly string[] = [
  ...["episode", FIXED, "action", "reward", "episode_return"],
  ...["reading.value", "reading.action_value", "end"],
];

/** Maximum number of components of one list that can be columns. */
export const MOST_COMPONENTS = 64;

/** All columns that these records have, in the order in which they are shown. */
export function columnsOf(info: StepsInfo): StepColumn[] {
  const has = (name: string) => info.names.includes(name);
  return [
    word("episode", "#", 1.5, ({ episode }) => String(episode + 1), "episode"),
    number("index", "Step", "Step", ({ index }) => index, count),
    {
      ...word("action", "Action", 5, ({ action }) => actionText(action, info.action) ?? ""),
      ...{ grows: true, sortBy: info.action.kind === "Discrete" ? "action" : null },
    },
    ...(info.action.numbers > 1 ? components(info, "action") : []),
    number("reward", "Reward", "Step", ({ reward }) => reward),
    ...rewardParts(info),
    number("episode_return", "Return", "Step", (record) => record.episode_return),
    ...(has("reading.value")
      ? [number("reading.value", "V(s)", "Policy", ({ reading }) => reading?.value)]
      : []),
    ...(has("reading.action_value")
      ? [
          number(
            "reading.action_value",
            "Q(s, a)",
            "Policy",
            (record) => record.reading?.action_value,
          ),
        ]
      : []),
    ...READINGS.filter(({ field }) => has(`reading.${field}`)).flatMap((list) =>
      ofActions(info, list),
    ),
    ...components(info, "observation"),
    word("actor", "Actor", 4, ({ actor }) => actor ?? ""),
    number("elapsed_ms", "Elapsed [ms]", "Step", (record) => record.elapsed_ms),
    word("frame_hash", "Frame hash", 6, (record) => record.frame_hash ?? ""),
    ...(has("observation_hash") && info.observation.numbers === 0
      ? [word("observation_hash", "Observation hash", 6, (record) => record.observation_hash ?? "")]
      : []),
    word("end", "End", 4.75, ({ terminated, truncated }) =>
      terminated ? "terminated" : truncated ? "truncated" : "",
    ),
  ];
}

/** The visible columns among all of them. */
export function shownColumns(all: readonly StepColumn[], choice: ColumnChoice): StepColumn[] {
  return all.filter(({ name }) => isShown(name, choice));
}

export function isShown(name: string, { added, removed }: ColumnChoice): boolean {
  if (name === FIXED) return true;
  return SHOWN_AT_FIRST.includes(name) ? !removed.includes(name) : added.includes(name);
}

/** The choice once `name` is shown or hidden. */
export function toggled(name: string, choice: ColumnChoice): ColumnChoice {
  const key = SHOWN_AT_FIRST.includes(name) ? "removed" : "added";
  const names = choice[key];
  return {
    ...choice,
    [key]: names.includes(name) ? names.filter((each) => each !== name) : [...names, name],
  };
}

export function isColumnChoice(kept: unknown): kept is ColumnChoice {
  const { added, removed } = (kept ?? {}) as Partial<Record<keyof ColumnChoice, unknown>>;
  const areNames = (value: unknown) =>
    Array.isArray(value) && value.every((name) => typeof name === "string");
  return areNames(added) && areNames(removed);
}

/** Numbers that a policy gives for each action, or for each component of one. */
const READINGS = [
  { field: "probabilities", title: "P" },
  { field: "q_values", title: "Q" },
  { field: "mean", title: "Mean" },
  { field: "deviation", title: "Deviation" },
] as const;

function ofActions(info: StepsInfo, { field, title }: (typeof READINGS)[number]): StepColumn[] {
  return actionNames(info).map((label, place) => {
    const name = `reading.${field}.${place}`;
    return {
      ...number(name, `${title} ${label}`, "Policy", ({ reading }) => reading?.[field]?.[place]),
      sortBy: name,
    };
  });
}

/** What the numbers of a list belong to: an action, a component, or a value of one of several choices. */
function actionNames({ action }: StepsInfo): string[] {
  const choices = actionChoices(action);
  if (choices.length === 0)
    return places(action.n ?? action.numbers).map((place) => nameOf(action, place));
  return choices
    .flatMap(({ name, values }) => values.map((value) => `${name} = ${value}`))
    .slice(0, MOST_COMPONENTS);
}

function components(info: StepsInfo, of: "observation" | "action"): StepColumn[] {
  const { numbers, labels, units } = info[of];
  const say = isCounted(info[of]) ? String : decimal;
  return places(numbers).map((place) => {
    const label = labels[place] || `${of} ${place}`;
    const title = units[place] ? `${label} [${units[place]}]` : label;
    const group = of === "observation" ? "Observation" : "Action";
    const read = (record: StepRecord) => numbersIn(record[of], numbers)[place];
    return {
      ...number(`${of}.${labels[place] || place}`, title, group, read, say),
      sortBy: numbers === 1 ? of : `${of}.${place}`,
    };
  });
}

const PART = "reward.";

/** The components of the reward, where the environment reports them. */
function rewardParts({ names }: StepsInfo): StepColumn[] {
  return names
    .filter((name) => name.startsWith(PART))
    .map((name) => {
      const part = name.slice(PART.length);
      const title = `Reward: ${part.replaceAll("_", " ")}`;
      return number(name, title, "Step", (record) => record.reward_components?.[part]);
    });
}

function places(length: number): number[] {
  return Array.from({ length: Math.min(length, MOST_COMPONENTS) }, (_, place) => place);
}

/** The numbers of an element one after the other; empty if only hashes of some parts are stored. */
function numbersIn(element: StepRecord["observation"], length: number): (number | null)[] {
  const flat = [element].flat(Infinity as 1) as (number | null)[];
  return flat.length === length ? flat : [];
}

function word(
  name: string,
  title: string,
  width: number,
  text: StepColumn["text"],
  sortBy: string | null = null,
): StepColumn {
  return { name, title, group: "Step", isText: true, sortBy, width, text };
}

/** A column of numbers. If a record has none, its cell is empty. */
function number(
  name: string,
  title: string,
  group: StepColumn["group"],
  read: (record: StepRecord) => number | boolean | null | undefined,
  say: (value: number) => string = decimal,
): StepColumn {
  const width = Math.min(Math.max(title.length * 0.42 + 0.8, name === FIXED ? 3 : 3.75), 10);
  const text = (record: StepRecord) => {
    const value = read(record);
    return value === null || value === undefined ? "" : say(Number(value));
  };
  return { name, title, group, isText: false, sortBy: name, width, text };
}
