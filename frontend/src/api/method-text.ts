import { count, plural, shareText } from "@/lib/number";
import type { Made } from "./types";

/** How a figure was made: its definition, n, resamples and source. */
export function madeText({ definition, n, resamples, confidence, source }: Made): string {
  return `${definition} (${[`n = ${count(n)}`, ...details({ resamples, confidence, source })].join("; ")})`;
}

/** A figure of a row, and how it was computed. */
export interface MadeRow {
  label: string;
  made: Made;
}

const MOST_APART = 3;
const MOST_NAMED = 3;

/**
 * How the figures of a column were computed: once if all were computed in the same way, otherwise for each row. `one`:
 * word for a row. If there are too many differences to read, the ranges are given.
 */
export function madeTexts(rows: readonly MadeRow[], one = "variant"): string {
  const alike = new Map<string, MadeRow[]>();
  for (const row of rows) {
    const text = madeText(row.made);
    alike.set(text, [...(alike.get(text) ?? []), row]);
  }
  const [first] = rows;
  if (!first) return "";
  if (alike.size === 1) return madeText(first.made);
  if (alike.size > MOST_APART) {
    const most = rows.reduce((a, b) => (b.made.n > a.made.n ? b : a)).made;
    const least = Math.min(...rows.map(({ made }) => made.n));
    const range = `n = ${count(least)} to ${count(most.n)}, by ${one}`;
    return `${most.definition} (${[range, ...details(most)].join("; ")})`;
  }
  return [...alike]
    .map(([text, found]) => {
      const labels = found.map(({ label }) => label);
      const whose = labels.length > MOST_NAMED ? plural(labels.length, one) : labels.join(", ");
      return `${whose}: ${text}`;
    })
    .join("\n");
}

function details({
  resamples,
  confidence,
  source,
}: Pick<Made, "resamples" | "confidence" | "source">): string[] {
  return [
    ...(resamples ? [`${count(resamples)} resamples`] : []),
    ...(confidence ? [`${shareText(confidence)} interval`] : []),
    `source: ${source}`,
  ];
}
