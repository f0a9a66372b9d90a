import { defaultRangeExtractor, type Range } from "@tanstack/react-virtual";

/**
 * The rows to render: those in view, and the row with the keyboard's position, which must stay in the
 * document.
 */
export function linesInView(range: Range, current: number): number[] {
  const lines = defaultRangeExtractor(range);
  if (current < 0 || current >= range.count || lines.includes(current)) return lines;
  return [...lines, current].sort((a, b) => a - b);
}
