import type { Environment, Histogram, UpdateAnatomy } from "@/api/types";
import { actionChoices, nameOf } from "@/player/reading/space";

/** With more actions than that, a bar of a histogram is none of a single action. */
const MOST_NAMED = 40;

/** A quantity of updates that has a distribution. */
export interface AnatomyFigure {
  id: string;
  title: string;
  /** What the quantity is and how to read it. */
  help: string;
  of: (update: UpdateAnatomy) => Histogram | null;
  /** Range in which the quantity should stay. */
  band?: (update: UpdateAnatomy) => readonly [number, number] | null;
  /** Names of integer values, from 0. */
  names?: readonly string[];
}

/**
 * The quantities that these updates have, in the order of an update: experience, advantages and errors,
 * policy change.
 */
export function figuresOf(
  updates: readonly UpdateAnatomy[],
  environment: Environment | undefined,
): AnatomyFigure[] {
  const components = Math.max(0, ...updates.map(({ actions }) => actions?.length ?? 0));
  const { kind, n = null, labels = [] } = environment?.action_space ?? {};
  const choices = environment ? actionChoices(environment.action_space) : [];
  const counted = kind === "Discrete" || choices.length > 0;
  const namesOf = (place: number) => {
    if (kind !== "Discrete") return choices[place]?.values;
    const space = environment!.action_space;
    return Array.from({ length: Math.min(n ?? 0, MOST_NAMED + 1) }, (_, place) =>
      nameOf(space, place),
    );
  };
  const actions = Array.from({ length: components }, (_, i) => {
    const names = namesOf(i);
    const name = choices[i]?.name ?? (labels[i] || `component ${i}`);
    return {
      id: `action-${i}`,
      title: kind === "Discrete" || components === 1 ? "Actions" : `Action: ${name}`,
      help: counted
        ? "What was done lately. One action that takes all the rest means that little is explored."
        : "What was done lately, as the policy drew it: what lies beyond the bounds of an action is clipped to them. A narrow peak means that little is explored.",
      of: (update: UpdateAnatomy) => update.actions?.[i] ?? null,
      names: names && names.length <= MOST_NAMED ? names : undefined,
    };
  });
  const all: AnatomyFigure[] = [
    {
      id: "advantages",
      title: "Advantages",
      help: "How much better each action was than expected, before they are normalised. Around 0 when the value function fits.",
      of: ({ advantages }) => advantages ?? null,
    },
    {
      id: "ratios",
      title: "Probability ratios",
      help: "How much more probable the update made the actions that were taken: 1 is unchanged. Beyond the band, clipping holds them.",
      of: ({ ratios }) => ratios ?? null,
      band: ({ clip_range: clip }) => (clip ? [1 - clip, 1 + clip] : null),
    },
    {
      id: "td-errors",
      title: "TD errors",
      help: "By how much experience surprises the values: target less estimate. Narrowing around 0 as they settle.",
      of: ({ td_errors }) => td_errors ?? null,
    },
    ...actions,
  ];
  return all.filter(({ of }) => updates.some((update) => of(update) !== null));
}

/** Names of all layers, in the order of the network. */
export function layerNames(updates: readonly UpdateAnatomy[]): string[] {
  return (updates.at(-1)?.layers ?? []).map(({ name }) => name);
}

export function layerOf(update: UpdateAnatomy, name: string) {
  return update.layers?.find((layer) => layer.name === name);
}

/**
 * The part of a parameter's name that distinguishes it: `mlp_extractor.policy_net.0.weight` → `policy net ·
 * 0`.
 */
export function layerLabel(name: string): string {
  return name
    .replace(/\.weight$/, "")
    .replace(/^mlp_extractor\./, "")
    .replaceAll(".", " · ")
    .replaceAll("_", " ");
}
