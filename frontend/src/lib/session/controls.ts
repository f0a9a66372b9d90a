import type { Binding, Controls } from "@/api/types";

/**
 * The wanted value of each component of the action; null if no key is held and the component has no neutral
 * value.
 */
export type Wanted = readonly (number | null)[];

/** The values that the held keys ask for. `held` is in the order in which the keys were pressed. */
export function wantedBy(controls: Controls, held: readonly string[]): Wanted {
  return controls.neutral.map((rest, component) => {
    const binding = bindingOf(controls, component, held);
    return binding ? binding.value : rest;
  });
}

/** The binding that applies to a component: the one with the most keys, then the one pressed last. */
function bindingOf(
  { bindings }: Controls,
  component: number,
  held: readonly string[],
): Binding | undefined {
  const pressedAt = ({ keys }: Binding) => Math.max(...keys.map((key) => held.indexOf(key)));
  return bindings
    .filter((each) => each.component === component && each.keys.every((key) => held.includes(key)))
    .sort((a, b) => b.keys.length - a.keys.length || pressedAt(b) - pressedAt(a))[0];
}

/** The components after `seconds` of moving gradually towards the wanted values. */
export function movedTowards(
  controls: Controls,
  now: readonly number[],
  wanted: Wanted,
  seconds: number,
): number[] {
  return now.map((value, component) => {
    const goal = wanted[component] ?? value;
    const step = speed(controls, component, value, goal) * seconds;
    return Math.abs(goal - value) <= step ? goal : value + Math.sign(goal - value) * step;
  });
}

/** Speed in units per second: from neutral to the bound within `rise_seconds`, back within `fall_seconds`. */
function speed(controls: Controls, component: number, value: number, goal: number): number {
  const rest = controls.neutral[component] ?? 0;
  if (goal !== rest) return Math.abs(goal - rest) / controls.rise_seconds;
  const ways = controls.bindings
    .filter(
      (binding) => binding.component === component && (binding.value - rest) * (value - rest) > 0,
    )
    .map((binding) => Math.abs(binding.value - rest));
  return Math.max(Math.abs(value - rest), ...ways) / controls.fall_seconds;
}
