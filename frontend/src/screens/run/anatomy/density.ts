import type { Environment, Histogram, UpdateAnatomy } from "@/api/types";
import { actionChoices, nameOf } from "@/player/reading/space";

/** Histograms of a quantity at several steps, on one axis. */
export interface Density {
  low: number;
  high: number;
  bins: number;
  columns: readonly Column[];
}

export interface Column {
  step: number;
  /** Share of the values in each bin, relative to the largest share; null without values. */
  shares: Float32Array | null;
}

interface Moment {
  step: number;
  histogram: Histogram | null;
}

const BINS = 40;
/**
 * The axis ends this many standard deviations from the mean, so that one outlier does not push all values into one bin.
 */
const DEVIATIONS = 4;
/** Share of the moments that may be beyond either end of the axis, so that one failed update does not hide the rest. */
const BEYOND = 0.05;

/**
 * `moments` must be ordered by step. For integers from 0, the axis has all `values`, also those that never occurred.
 * Null without data.
 */
export function density(moments: readonly Moment[], values = 0): Density | null {
  const found = moments.flatMap(({ histogram }) => histogram ?? []);
  if (found.length === 0) return null;
  const low = quantile(
    found.map(({ low, mean, std }) => Math.max(low, mean - DEVIATIONS * std)),
    BEYOND,
  );
  const high = quantile(
    found.map(({ high, mean, std }) => Math.min(high, mean + DEVIATIONS * std)),
    1 - BEYOND,
  );
  const axis = high > low ? { low, high } : around(low);
  const bins = wholeBins(found, axis, values) ?? BINS;
  const columns = moments.map(({ step, histogram }) => ({
    step,
    shares: histogram && shares(histogram, axis, bins),
  }));
  return { ...axis, bins, columns };
}

/**
 * The distribution of `histogram` over the bins of another axis. Values beyond an end count in the last bin
 * there.
 */
function shares(histogram: Histogram, axis: { low: number; high: number }, bins: number) {
  const found = new Float32Array(bins);
  const wide = (histogram.high - histogram.low) / histogram.counts.length;
  const bin = (axis.high - axis.low) / bins;
  histogram.counts.forEach((count, i) => {
    if (count === 0) return;
    const from = (histogram.low + i * wide - axis.low) / bin;
    const to = from + wide / bin;
    const first = clamp(Math.floor(from), bins);
    const last = clamp(Math.ceil(to) - 1, bins);
    for (let at = first; at <= last; at++) {
      const begin = at === first ? from : at;
      const end = at === last ? to : at + 1;
      found[at]! += (count * (end - begin)) / (to - from);
    }
  });
  const most = Math.max(...found);
  return most > 0 ? found.map((share) => share / most) : found;
}

/** Integer values, such as discrete actions, get one bin each. */
function wholeBins(
  found: readonly Histogram[],
  axis: { low: number; high: number },
  values: number,
) {
  const whole = found.every(
    ({ low, high, counts }) => high - low === counts.length && Number.isInteger(low + 0.5),
  );
  if (!whole) return null;
  const named = values > 0 ? [{ low: -0.5, high: values - 0.5 }] : [];
  axis.low = Math.min(...[...found, ...named].map(({ low }) => low));
  axis.high = Math.max(...[...found, ...named].map(({ high }) => high));
  return axis.high - axis.low;
}

function clamp(bin: number, bins: number): number {
  return Math.min(Math.max(bin, 0), bins - 1);
}

function around(value: number) {
  const half = Math.max(Math.abs(value) * 1e-3, 1e-6);
  return { low: value - half, high: value + half };
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))]!;
}

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
        ? "Shares of recent actions. One action near 100 % means that the policy explores little."
        : "Recent actions as sampled from the policy, before they are clipped to the action bounds. A narrow peak means that the policy explores little.",
      of: (update: UpdateAnatomy) => update.actions?.[i] ?? null,
      names: names && names.length <= MOST_NAMED ? names : undefined,
    };
  });
  const all: AnatomyFigure[] = [
    {
      id: "advantages",
      title: "Advantages",
      help: "Advantages before normalisation: how much better each action was than expected. They are around 0 if the value function is accurate.",
      of: ({ advantages }) => advantages ?? null,
    },
    {
      id: "ratios",
      title: "Probability ratios",
      help: "How much more probable the update made the actions that were taken: 1 is unchanged. Clipping limits those outside the band.",
      of: ({ ratios }) => ratios ?? null,
      band: ({ clip_range: clip }) => (clip ? [1 - clip, 1 + clip] : null),
    },
    {
      id: "td-errors",
      title: "TD errors",
      help: "Temporal-difference errors: target minus estimate. They narrow around 0 as the values settle.",
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
