import type { PolicyReading } from "@/api/types";
import { count, decimal, plural } from "@/lib/number";
import {
  actionChoices,
  boundsOf,
  byChoice,
  drawnPlaces,
  type DrawnSpace,
  hasBounds,
  MOST_ROWS,
  nameOf,
  rangeOf,
  TOP_ROWS,
} from "./space";

export interface Bar {
  label: string;
  text: string;
  /** Length of the bar, from 0 to 1. */
  share: number;
  chosen: boolean;
}

/** A continuous component. Positions are shares of its bounds, from 0 to 1. */
export interface Spread {
  label: string;
  text: string;
  mean: number;
  /** One standard deviation to either side; null for a deterministic policy. */
  from: number | null;
  to: number | null;
  low: string;
  high: string;
}

/** Quantiles of one action. Positions are shares of the range of all actions. */
export interface Strip {
  label: string;
  text: string;
  ticks: readonly number[];
  mean: number;
  chosen: boolean;
}

export type ReadingPicture =
  | { kind: "bars"; title: string; note: string | null; bars: readonly Bar[] }
  | { kind: "spreads"; title: string; note: string | null; spreads: readonly Spread[] }
  | { kind: "strips"; title: string; note: string | null; strips: readonly Strip[] };

type Chosen = readonly number[] | null;

/** The part of a reading to draw, most informative first. `chosen`: the action that was taken, from `chosenAction`. */
export function prepareReading(
  reading: PolicyReading,
  actions: DrawnSpace,
  chosen: Chosen,
): ReadingPicture[] {
  const pictures: ReadingPicture[] = [];
  const { probabilities, q_values: q, mean, quantiles } = reading;
  const of = { actions, places: reading.places, taken: chosen?.[0] };
  if (probabilities) pictures.push(...probabilityBars(probabilities, of, chosen));
  if (mean) pictures.push(spreads(reading, mean, actions));
  if (quantiles) pictures.push(strips(quantiles, of));
  else if (q) pictures.push(valueBars(q, of));
  return pictures;
}

/** The actions of a Discrete space that have numbers. `places`: their indices; null: all, in order. */
interface OfActions {
  actions: DrawnSpace;
  places: readonly number[] | null;
  taken: number | undefined;
}

/** The names of the actions, their number, and the index of the chosen action among the values. */
function told({ actions, places, taken }: OfActions, values: readonly unknown[]) {
  const at = taken === undefined || !places ? taken : places.indexOf(taken);
  return {
    count: places ? (actions.n ?? values.length) : values.length,
    nameAt: (index: number) => nameOf(actions, places?.[index] ?? index),
    taken: at === -1 ? undefined : at,
  };
}

type Told = ReturnType<typeof told>;

/** Bars for each choice of a MultiDiscrete, within which probabilities add up to 1; for all actions of other spaces. */
function probabilityBars(
  values: readonly number[],
  of: OfActions,
  chosen: Chosen,
): ReadingPicture[] {
  const { actions } = of;
  if (actions.kind === "MultiBinary")
    return [bitBars(values, (place) => nameOf(actions, place), chosen)];
  if (actions.kind === "Discrete") return [bars("Action probabilities", values, told(of, values))];
  const choices = actionChoices(actions);
  const parts = byChoice(values, choices);
  if (parts === null) {
    const all = { count: values.length, nameAt: String, taken: undefined };
    return [bars("Probabilities of all choices", values, all)];
  }
  const drawn = choices.length <= MOST_ROWS ? choices : choices.slice(0, TOP_ROWS);
  const pictures = drawn.map((choice, i) =>
    bars(`Action probabilities: ${choice.name}`, parts[i]!, {
      count: choice.values.length,
      nameAt: (place) => choice.values[place]!,
      taken: chosen?.[i],
    }),
  );
  const left = choices.length - drawn.length;
  if (left > 0) {
    const last = pictures.at(-1)!;
    last.note = [last.note, `${plural(left, "more choice")} not drawn`].filter(Boolean).join(". ");
  }
  return pictures;
}

/** Probabilities that sum to 1. If there are very many, only the greatest are drawn, and that of the chosen action. */
function bars(title: string, values: readonly number[], of: Told): ReadingPicture {
  const places = drawnPlaces(values, of.taken === undefined ? [] : [of.taken]);
  const shown = places.reduce((sum, place) => sum + values[place]!, 0);
  const left = of.count - places.length;
  return {
    kind: "bars",
    title,
    note:
      left > 0
        ? `The most probable of ${count(of.count)}. The other ${count(left)} have ${percentOf(clamp(1 - shown))} together`
        : null,
    bars: places.map((place) => ({
      label: of.nameAt(place),
      text: percentOf(values[place]!),
      share: clamp(values[place]!),
      chosen: place === of.taken,
    })),
  };
}

/** A bar for each bit; of very many for those that are most probably 1. */
function bitBars(
  values: readonly number[],
  nameAt: (place: number) => string,
  chosen: Chosen,
): ReadingPicture {
  const places = drawnPlaces(values);
  const likely = values.filter((value) => value > 0.5).length;
  return {
    kind: "bars",
    title: "Probability that a bit is 1",
    note:
      places.length < values.length
        ? `The most probable of ${count(values.length)} bits; ${count(likely)} are more probably 1 than 0`
        : null,
    bars: places.map((place) => ({
      label: nameAt(place),
      text: percentOf(values[place]!),
      share: clamp(values[place]!),
      chosen: chosen?.[place] === 1,
    })),
  };
}

/** Whole percent, except for what is nearly certain or nearly impossible. */
function percentOf(share: number): string {
  const percent = share * 100;
  const near = (percent > 0 && percent < 1) || (percent > 99 && percent < 100);
  return `${near ? Math.min(99.9, Math.max(0.1, percent)).toFixed(1) : Math.round(percent)}%`;
}

/** Q-values may be large and differ little, so bars start slightly below the smallest. */
function valueBars(values: readonly number[], of: OfActions): ReadingPicture {
  const [low, high] = rangeOf(values);
  const from = low - (high - low) * 0.15;
  const { count: all, nameAt, taken } = told(of, values);
  const places = drawnPlaces(values, taken === undefined ? [] : [taken]);
  return {
    kind: "bars",
    title: "Q(s, a)",
    note: [
      places.length < all && `The highest of ${count(all)}`,
      "Bars begin just below the lowest",
    ]
      .filter(Boolean)
      .join(". "),
    bars: places.map((place) => ({
      label: nameAt(place),
      text: decimal(values[place]!),
      share: high > low ? clamp((values[place]! - from) / (high - from)) : 0.5,
      chosen: place === taken,
    })),
  };
}

function spreads(reading: PolicyReading, means: number[], actions: DrawnSpace): ReadingPicture {
  const { deviation, squashed } = reading;
  const drawn = means.slice(0, means.length > MOST_ROWS ? TOP_ROWS : means.length);
  const left = means.length - drawn.length;
  return {
    kind: "spreads",
    title: deviation ? "Action: mean ± deviation" : "Action",
    note:
      [spreadsNote(drawn, actions, squashed), left > 0 && `${count(left)} more not drawn`]
        .filter(Boolean)
        .join(". ") || null,
    spreads: drawn.map((mean, place) => {
      const [low, high] = boundsOf(actions, place);
      const place01 = (value: number) =>
        squashed ? (Math.tanh(value) + 1) / 2 : clamp((value - low) / (high - low));
      const wide = deviation?.[place] ?? null;
      const inUnits = (value: number) => (squashed ? low + place01(value) * (high - low) : value);
      const around = (by: number) =>
        squashed
          ? `(${decimal(inUnits(mean - by))} … ${decimal(inUnits(mean + by))})`
          : `± ${decimal(by)}`;
      return {
        label: nameOf(actions, place),
        text: [decimal(inUnits(mean)), wide === null ? "" : around(wide)].join(" ").trim(),
        mean: place01(mean),
        from: wide === null ? null : place01(mean - wide),
        to: wide === null ? null : place01(mean + wide),
        low: decimal(low),
        high: decimal(high),
      };
    }),
  };
}

/** A note on the range of the bars, if it is known, and on values before the tanh. */
function spreadsNote(means: number[], actions: DrawnSpace, squashed: boolean): string | null {
  const ranges = new Set(
    means.map((_, place) => boundsOf(actions, place).map(decimal).join(" … ")),
  );
  const spanned = ranges.size === 1 ? [...ranges][0]! : "the bounds of each";
  const sentences = [
    hasBounds(actions) || squashed ? `Bars span ${hasBounds(actions) ? spanned : "−1 … 1"}` : "",
    squashed
      ? "After the tanh that bounds the action; in brackets one deviation to either side"
      : "",
  ];
  return sentences.filter(Boolean).join(". ") || null;
}

function strips(quantiles: readonly number[][], of: OfActions): ReadingPicture {
  const means = quantiles.map(
    (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
  );
  const { count: all, nameAt, taken } = told(of, quantiles);
  const places = drawnPlaces(means, taken === undefined ? [] : [taken]);
  const [low, high] = rangeOf(places.flatMap((place) => quantiles[place]!));
  const share = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  return {
    kind: "strips",
    title: "Quantiles of the return",
    note: [
      places.length < all && `The highest of ${count(all)}`,
      `From ${decimal(low)} to ${decimal(high)}; the longer mark is the mean, Q(s, a)`,
    ]
      .filter(Boolean)
      .join(". "),
    strips: places.map((place) => ({
      label: nameAt(place),
      text: decimal(means[place]!),
      ticks: quantiles[place]!.map(share),
      mean: share(means[place]!),
      chosen: place === taken,
    })),
  };
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
