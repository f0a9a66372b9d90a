import { defaultRangeExtractor, type Range } from "@tanstack/react-virtual";

/** The lines to draw: those in view, and the one the keyboard is on, which must not vanish under it. */
export function linesInView(range: Range, current: number): number[] {
  const lines = defaultRangeExtractor(range);
  if (current < 0 || current >= range.count || lines.includes(current)) return lines;
  return [...lines, current].sort((a, b) => a - b);
}
