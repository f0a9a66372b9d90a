import { useId, useState } from "react";
import { pointerTo } from "@/api/http";
import type { Environment, Limits, RewardPlan } from "@/api/types";
import { setting } from "@/lib/number";
import { Disclosure } from "@/ui/disclosure";
import { controlClass } from "@/ui/select";
import { type Parsed, parseDecimal } from "./parse";

/** A part of the reward of an environment. */
export type RewardComponent = Environment["reward_components"][number];

interface Row {
  /** Blank: 1. */
  weight: string;
  /** Blank: none. */
  cap: string;
}

/** What was typed, by name of the component. Components without an entry count as the environment gives them. */
export type RewardDraft = Readonly<Record<string, Row>>;

const UNCHANGED: Row = { weight: "", cap: "" };

/** The fields for a plan. */
export function rewardDraft({ weights = {}, caps = {} }: RewardPlan): RewardDraft {
  const names = [...Object.keys(weights), ...Object.keys(caps)];
  return Object.fromEntries(
    names.map((name) => [
      name,
      { weight: setting(weights[name] ?? ""), cap: setting(caps[name] ?? "") },
    ]),
  );
}

/** The plan that was typed, null if it changes nothing, and by pointer the problems that prevent it. */
export function rewardOf(
  draft: RewardDraft,
  components: readonly RewardComponent[],
  limits: Limits,
): { plan: RewardPlan | null; problems: Readonly<Record<string, string>> } {
  const problems: Record<string, string> = {};
  const plan = { weights: {} as Record<string, number>, caps: {} as Record<string, number> };
  const take = (part: "weights" | "caps", name: string, text: string, parsed: Parsed) => {
    if (text.trim() === "") return;
    if (parsed.ok) plan[part][name] = parsed.value as number;
    else problems[pointerTo("reward", part, name)] = parsed.problem;
  };
  const { reward_weight: factor, reward_cap: limit } = limits;
  for (const { name } of components) {
    const { weight, cap } = draft[name] ?? UNCHANGED;
    take("weights", name, weight, parseDecimal(weight, factor));
    const { minimum: exclusive_minimum, maximum } = limit;
    take("caps", name, cap, parseDecimal(cap, { exclusive_minimum, maximum }));
    if (plan.weights[name] === 1) delete plan.weights[name];
  }
  const changes = Object.keys(plan.weights).length + Object.keys(plan.caps).length;
  return { plan: changes > 0 ? plan : null, problems };
}

/** For instance `Main engine × 0, Approach within ±50`. */
export function rewardText(
  plan: RewardPlan | null,
  components: readonly RewardComponent[] = [],
): string {
  const { weights = {}, caps = {} } = plan ?? {};
  const label = (name: string) => components.find((one) => one.name === name)?.label ?? name;
  const parts = [
    ...Object.entries(weights).map(([name, weight]) => `${label(name)} × ${setting(weight)}`),
    ...Object.entries(caps).map(([name, cap]) => `${label(name)} within ±${setting(cap)}`),
  ];
  return parts.length === 0 ? "as in the environment" : parts.join(", ");
}

const POINTER = "/reward/";

interface RewardSectionProps extends RewardFieldsProps {
  className: string;
  limits: Limits;
  /** Whether it is open before the user opens it. */
  startsOpen: boolean;
}

/** The section of a form with the components of the reward. Nothing is shown for an environment without any. */
export function RewardSection(props: RewardSectionProps) {
  const { className, limits, startsOpen, ...fields } = props;
  const { components, draft, problems } = fields;
  const [opened, setOpened] = useState(startsOpen);
  if (components.length === 0) return null;
  const invalid = Object.keys(problems).some((pointer) => pointer.startsWith(POINTER));
  return (
    <Disclosure
      className={className}
      open={opened || invalid}
      onToggle={setOpened}
      summary={<span className="font-semibold">Reward</span>}
      aside={
        <span className="min-w-0 truncate text-xs font-normal text-ink-faint">
          {rewardText(rewardOf(draft, components, limits).plan, components)}
        </span>
      }
    >
      <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
        <p className="text-xs text-ink-soft">
          The reward is a sum of components. Training multiplies each by its weight; 0 switches it
          off. A cap limits what an episode earns or loses with it. Returns and evaluations stay
          those of the environment.
        </p>
        <RewardFields {...fields} />
      </div>
    </Disclosure>
  );
}

interface RewardFieldsProps {
  components: readonly RewardComponent[];
  draft: RewardDraft;
  /** By pointer. */
  problems: Readonly<Record<string, string>>;
  onChange: (draft: RewardDraft) => void;
}

const columns =
  "grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem] gap-x-3 sm:grid-cols-[minmax(0,1fr)_6rem_6rem]";

/** A row for each component of the reward: what it is, its weight and its cap. */
export function RewardFields({ components, draft, problems, onChange }: RewardFieldsProps) {
  return (
    <div className="flex flex-col gap-3">
      <div aria-hidden className={`${columns} text-xs font-medium text-ink-soft`}>
        <span>Component</span>
        <span>Weight</span>
        <span>Cap</span>
      </div>
      {components.map((component) => (
        <ComponentRow
          key={component.name}
          component={component}
          row={draft[component.name] ?? UNCHANGED}
          problems={problems}
          onChange={(row) => onChange({ ...draft, [component.name]: row })}
        />
      ))}
    </div>
  );
}

interface ComponentRowProps {
  component: RewardComponent;
  row: Row;
  problems: RewardFieldsProps["problems"];
  onChange: (row: Row) => void;
}

function ComponentRow({ component, row, problems, onChange }: ComponentRowProps) {
  const { name, label, help } = component;
  const wrong = {
    weight: problems[pointerTo("reward", "weights", name)],
    cap: problems[pointerTo("reward", "caps", name)],
  };
  const note = useId();
  const field = (part: keyof Row, what: string, blank: string) => (
    <input
      aria-label={`${what} of ${label}`}
      aria-describedby={[help && `${note}-help`, wrong[part] && `${note}-${part}`]
        .filter(Boolean)
        .join(" ")}
      aria-invalid={wrong[part] ? true : undefined}
      inputMode="decimal"
      autoComplete="off"
      placeholder={blank}
      className={controlClass}
      value={row[part]}
      onChange={({ target }) => onChange({ ...row, [part]: target.value })}
    />
  );
  return (
    <div role="group" aria-label={label} className={`${columns} items-center gap-y-1`}>
      <span className="text-sm">{label}</span>
      {field("weight", "Weight", "1")}
      {field("cap", "Cap", "none")}
      {help && (
        <p id={`${note}-help`} className="col-span-3 text-xs text-ink-soft sm:col-span-1">
          {help}
        </p>
      )}
      {(["weight", "cap"] as const).map(
        (part) =>
          wrong[part] && (
            <p key={part} id={`${note}-${part}`} className="col-span-3 text-xs text-bad">
              {part === "weight" ? "Weight" : "Cap"}: {wrong[part]}
            </p>
          ),
      )}
    </div>
  );
}
