import type { KnobChange, RunKnob } from "@/api/types";
import { type Bounds, describeBounds } from "@/forms/parse";
import { count, parseNumber, setting } from "@/lib/number";

/** How a knob is changed. */
export type Way = KnobChange["kind"];

/** The bounds of what is typed. */
function boundsOf(knob: RunKnob, way: Way): Bounds {
  if (way === "scale_knob") return { exclusive_minimum: 0 };
  const { minimum, maximum, excludes_minimum: excludes } = knob;
  return { [excludes ? "exclusive_minimum" : "minimum"]: minimum, maximum };
}

/** The change that `text` asks for, or why there is none; neither while nothing is typed. */
export function knobChange(
  knob: RunKnob,
  way: Way,
  text: string,
): { change?: KnobChange; problem?: string } {
  if (text.trim() === "") return {};
  const value = parseNumber(text);
  if (!Number.isFinite(value)) return { problem: "Enter a number" };
  const bounds = boundsOf(knob, way);
  const { minimum = -Infinity, exclusive_minimum: above = -Infinity, maximum = Infinity } = bounds;
  if (value < minimum! || value <= above! || value > maximum!) {
    return { problem: `Must be ${describeBounds(bounds)}` };
  }
  return way === "set_knob"
    ? { change: { kind: way, knob: knob.name, value } }
    : { change: { kind: way, knob: knob.name, factor: value } };
}

/** What may be typed, and what it does. */
export function knobHint(knob: RunKnob, way: Way): string {
  const bounds = describeBounds(boundsOf(knob, way));
  const allowed = `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
  if (!knob.follows_schedule) return allowed;
  return way === "set_knob"
    ? `${allowed} The value takes the place of the schedule.`
    : `${allowed} The schedule goes on, multiplied.`;
}

/** The value of a knob: of a schedule, the one that was logged last, if any was. */
export function valueNow(knob: RunKnob, logged: number | null): number | null {
  if (!knob.follows_schedule) return knob.changed?.after ?? knob.configured;
  return logged ?? knob.changed?.after ?? null;
}

/** Without the noise of binary fractions. */
export function knobValue(value: number | null): string {
  return value === null ? "by its schedule" : setting(Number(value.toPrecision(4)));
}

/** What was asked for and is not made yet. */
export function waitingText(waiting: readonly KnobChange[]): string {
  const words = waiting.map((change) =>
    change.kind === "set_knob" ? knobValue(change.value) : `times ${knobValue(change.factor)}`,
  );
  return `${words.join(", then ")} at the start of the next rollout`;
}

/** The last change that was made; null without one. */
export function changedText({ changed }: RunKnob): string | null {
  if (!changed) return null;
  const by = {
    person: "by you",
    rule: `by rule ${count(changed.rule)}`,
    parent: "while its parent trained",
  }[changed.by];
  const limited = changed.limited ? ", as far as its bounds allow" : "";
  return `Changed from ${knobValue(changed.before)} to ${knobValue(changed.after)} ${by}${limited}.`;
}
