import type { Made } from "@/lib/api";
import { count, percent } from "@/lib/format";

/** How a figure was made: its definition, n, resamples and source. */
export function madeText({ definition, n, resamples, confidence, source }: Made): string {
  const parts = [
    `n = ${count(n)}`,
    resamples && `${count(resamples)} resamples`,
    confidence && `${percent(confidence)} interval`,
    `source: ${source}`,
  ];
  return `${definition} (${parts.filter(Boolean).join("; ")})`;
}
