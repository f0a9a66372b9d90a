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
  if (values.length < 2) return "";
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
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
