import type { Binding, Controls } from "@/lib/api";

/** Of each component the value that is wanted; null where no key is held and nothing is neutral. */
export type Wanted = readonly (number | null)[];

/** What the keys that are held ask for. `held` in the order in which they were pressed. */
export function wantedBy(controls: Controls, held: readonly string[]): Wanted {
  return controls.neutral.map((rest, component) => {
    const binding = bindingOf(controls, component, held);
    return binding ? binding.value : rest;
  });
}

/** The binding that counts for a component: the one of the most keys, then the one pressed last. */
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

/** Where numbers that move gradually are after so many seconds on their way to what is wanted. */
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

/** Units a second: from neutral to the bound within `rise_seconds`, back within `fall_seconds`. */
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
