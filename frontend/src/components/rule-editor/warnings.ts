import { plural } from "@/lib/format";
import type { Rule } from "@/lib/api";
import type { Action, Condition } from "./phrases";

/** What is allowed and hardly meant. `rule` counts from 0. */
export interface Warning {
  rule: number;
  detail: string;
}

/** More firings than these on single rows are worth a word. */
const MANY = 20;

/** Rules that keep each other from acting, or that may act at nearly every row. */
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
    detail: `Rule ${place + 1} decides about ${target}, too. Where both come true at the same row, only rule ${place + 1} does.`,
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

/** As the service has it: of two actions that decide about the same, the first counts. */
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
      detail: `A metric that goes back and forth makes it act at every other row, up to ${plural(at_most, "time")}. Ask for more rows in a row, or let it act less often.`,
    },
  ];
}
