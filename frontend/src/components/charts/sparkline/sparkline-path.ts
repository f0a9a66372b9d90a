/**
 * The outline of a few values as an SVG path, from edge to edge of a `width` × `height` box.
 *
 * The highest value touches the top and the lowest the bottom, half a stroke inside; equal values lie in
 * the middle. Fewer than two values have no outline.
 */
export function sparklinePath(
  values: readonly number[],
  width: number,
  height: number,
  stroke = 1.5,
): string {
  return sparklinePaths([values], width, height, stroke)[0]!;
}

/** As `sparklinePath`, of several lines that share one scale. */
export function sparklinePaths(
  lines: readonly (readonly number[])[],
  width: number,
  height: number,
  stroke = 1.5,
): string[] {
  const all = lines.flat();
  const low = Math.min(...all);
  const span = Math.max(...all) - low;
  return lines.map((values) => outline(values, { low, span, width, height, stroke }));
}

interface Box {
  low: number;
  span: number;
  width: number;
  height: number;
  stroke: number;
}

function outline(values: readonly number[], { low, span, width, height, stroke }: Box): string {
  if (values.length < 2) return "";
  const inner = height - stroke;
  const points = values.map((value, i) => {
    const x = (i / (values.length - 1)) * (width - stroke) + stroke / 2;
    const share = span === 0 ? 0.5 : (value - low) / span;
    return `${round(x)} ${round(stroke / 2 + (1 - share) * inner)}`;
  });
  return `M${points.join("L")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
