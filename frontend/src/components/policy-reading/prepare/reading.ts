import type { PolicyReading } from "@/lib/api";
import { count, decimal, plural } from "@/lib/format";
import { drawnPlaces, MOST_ROWS, rangeOf, TOP_ROWS } from "./most";
import { boundsOf, byChoice, actionChoices, type DrawnSpace, hasBounds, nameOf } from "./space";

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
  if (probabilities) pictures.push(...probabilityBars(probabilities, actions, chosen));
  if (mean) pictures.push(spreads(reading, mean, actions));
  if (quantiles) pictures.push(strips(quantiles, actions, chosen));
  else if (q) pictures.push(valueBars(q, actions, chosen));
  return pictures;
}

/** Bars for each choice of a MultiDiscrete, within which probabilities add up to 1; for all actions of other spaces. */
function probabilityBars(
  values: readonly number[],
  actions: DrawnSpace,
  chosen: Chosen,
): ReadingPicture[] {
  const nameAt = (place: number) => nameOf(actions, place);
  if (actions.kind === "MultiBinary") return [bitBars(values, nameAt, chosen)];
  if (actions.kind === "Discrete")
    return [bars("Action probabilities", values, nameAt, chosen?.[0])];
  const choices = actionChoices(actions);
  const parts = byChoice(values, choices);
  if (parts === null) return [bars("Probabilities of all choices", values, String, undefined)];
  const drawn = choices.length <= MOST_ROWS ? choices : choices.slice(0, TOP_ROWS);
  const pictures = drawn.map((choice, i) =>
    bars(
      `Action probabilities: ${choice.name}`,
      parts[i]!,
      (place) => choice.values[place]!,
      chosen?.[i],
    ),
  );
  const left = choices.length - drawn.length;
  if (left > 0) {
    const last = pictures.at(-1)!;
    last.note = [last.note, `${plural(left, "more choice")} not drawn`].filter(Boolean).join(". ");
  }
  return pictures;
}

/** Probabilities that add up to 1; of very many the greatest, and that of `taken`. */
function bars(
  title: string,
  values: readonly number[],
  nameAt: (place: number) => string,
  taken: number | undefined,
): ReadingPicture {
  const places = drawnPlaces(values, taken === undefined ? [] : [taken]);
  const shown = places.reduce((sum, place) => sum + values[place]!, 0);
  const left = values.length - places.length;
  return {
    kind: "bars",
    title,
    note:
      left > 0
        ? `The most probable of ${count(values.length)}. The other ${count(left)} have ${percentOf(clamp(1 - shown))} together`
        : null,
    bars: places.map((place) => ({
      label: nameAt(place),
      text: percentOf(values[place]!),
      share: clamp(values[place]!),
      chosen: place === taken,
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
        ? `The most probable of ${count(values.length)} bits, of which ${count(likely)} are more probably 1 than 0`
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
function valueBars(values: readonly number[], actions: DrawnSpace, chosen: Chosen): ReadingPicture {
  const [low, high] = rangeOf(values);
  const from = low - (high - low) * 0.15;
  const places = drawnPlaces(values, chosen?.slice(0, 1) ?? []);
  const left = values.length - places.length;
  return {
    kind: "bars",
    title: "Q(s, a)",
    note: [
      left > 0 && `The highest of ${count(values.length)}, which begin at ${decimal(low)}`,
      "Bars begin just below the lowest",
    ]
      .filter(Boolean)
      .join(". "),
    bars: places.map((place) => ({
      label: nameOf(actions, place),
      text: decimal(values[place]!),
      share: high > low ? clamp((values[place]! - from) / (high - from)) : 0.5,
      chosen: place === chosen?.[0],
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

/** What the bars span, where that is told, and what squashed values stand for. */
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

function strips(
  quantiles: readonly number[][],
  actions: DrawnSpace,
  chosen: Chosen,
): ReadingPicture {
  const means = quantiles.map(
    (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
  );
  const places = drawnPlaces(means, chosen?.slice(0, 1) ?? []);
  const [low, high] = rangeOf(places.flatMap((place) => quantiles[place]!));
  const share = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  const left = quantiles.length - places.length;
  return {
    kind: "strips",
    title: "Quantiles of the return",
    note: [
      left > 0 && `The highest of ${count(quantiles.length)}`,
      `From ${decimal(low)} to ${decimal(high)}; the longer mark is the mean, Q(s, a)`,
    ]
      .filter(Boolean)
      .join(". "),
    strips: places.map((place) => {
      const values = quantiles[place]!;
      const mean = means[place]!;
      return {
        label: nameOf(actions, place),
        text: decimal(mean),
        ticks: values.map(share),
        mean: share(mean),
        chosen: place === chosen?.[0],
      };
    }),
  };
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
