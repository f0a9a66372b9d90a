import type { Binding, Controls } from "@/api/types";
import { createStore, type ReadableStore } from "@/lib/store";
import type { AnimationFrames } from "./frame-presenter";

export type Action = number | number[];

interface KeyInputOptions {
  controls: Controls;
  /** Whether an action is a single integer (Discrete), not an array. */
  counted: boolean;
  /** Called with the new action; null if no key is held. */
  act: (action: Action | null) => void;
  /** Speed relative to normal; keys move components faster by this factor. */
  pace: () => number;
  frames: AnimationFrames;
  now: () => number;
}

/** The keys that a person holds, on the keyboard or on the screen, and the action that follows from them. */
export class KeyInput {
  private readonly heldStore = createStore<readonly string[]>([]);
  private readonly known: ReadonlySet<string>;
  private value: number[];
  private asked: number | null = null;
  private movedAt = 0;
  private emitted = "null";

  constructor(private readonly options: KeyInputOptions) {
    const { controls } = options;
    this.known = new Set(controls.bindings.flatMap(({ keys }) => keys));
    this.value = this.atRest();
  }

  /** The held keys in the order in which they were pressed. */
  readonly held: ReadableStore<readonly string[]> = this.heldStore;

  /** Whether the key is bound. */
  knows(key: string): boolean {
    return this.known.has(key);
  }

  press(key: string) {
    if (this.knows(key) && !this.held.get().includes(key)) this.hold([...this.held.get(), key]);
  }

  release(key: string) {
    if (this.held.get().includes(key)) this.hold(this.held.get().filter((each) => each !== key));
  }

  /** Releases all keys and resets all components to neutral at once. */
  readonly letGo = () => {
    if (this.asked !== null) this.options.frames.cancel(this.asked);
    this.asked = null;
    this.value = this.atRest();
    this.heldStore.set([]);
    this.emit(null);
  };

  private hold(keys: readonly string[]) {
    this.heldStore.set(keys);
    const wanted = this.wanted();
    if (this.options.controls.is_continuous) return this.move();
    const complete = wanted.filter((value) => value !== null);
    this.emit(keys.length === 0 || complete.length < wanted.length ? null : complete);
  }

  /** Moves the components towards the wanted values in every animation frame until they are reached. */
  private move() {
    if (this.asked !== null) return;
    this.movedAt = this.options.now();
    const next = () => {
      this.asked = this.options.frames.request(() => {
        this.asked = null;
        const now = this.options.now();
        const seconds = ((now - this.movedAt) / 1000) * this.options.pace();
        this.movedAt = now;
        const wanted = this.wanted();
        this.value = movedTowards(this.options.controls, this.value, wanted, seconds);
        const arrived = this.value.every((value, component) => value === wanted[component]);
        this.emit(arrived && this.held.get().length === 0 ? null : this.value);
        if (!arrived) next();
      });
    };
    next();
  }

  private emit(value: readonly number[] | null) {
    const action = value === null ? null : this.options.counted ? value[0]! : [...value];
    const text = JSON.stringify(action);
    if (text === this.emitted) return;
    this.emitted = text;
    this.options.act(action);
  }

  private wanted(): Wanted {
    return wantedBy(this.options.controls, this.held.get());
  }

  private atRest(): number[] {
    return this.options.controls.neutral.map((value) => value ?? 0);
  }
}

/**
 * The wanted value of each component of the action; null if no key is held and the component has no neutral
 * value.
 */
type Wanted = readonly (number | null)[];

/** The values that the held keys request. `held` is in the order in which the keys were pressed. */
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
