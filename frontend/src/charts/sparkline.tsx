const WIDTH = 104;
const HEIGHT = 26;

interface SparklineProps {
  values: readonly number[];
  /** A text alternative. Without it, screen readers skip the picture, because the text beside it says the same. */
  label?: string;
  className?: string;
}

/** A few values as one small line without axes. */
export function Sparkline({ values, label, className }: SparklineProps) {
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
      className={className}
    >
      <path
        d={sparklinePath(values, WIDTH, HEIGHT)}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

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

/** Like `sparklinePath`, for several lines that share one scale. */
export function sparklinePaths(
  lines: readonly (readonly number[])[],
  width: number,
  height: number,
  stroke = 1.5,
): string[] {
  const scale = sparklineScale(lines);
  return lines.map((values) => sparklineOn(scale, values, { width, height, stroke }));
}

/** The lowest value of all lines, and the distance to the highest value. */
export interface SparklineScale {
  low: number;
  span: number;
}

export function sparklineScale(lines: readonly (readonly number[])[]): SparklineScale {
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines) {
    for (const value of line) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low > high ? { low: 0, span: 0 } : { low, span: high - low };
}

/** Like `sparklinePath`, on a scale that other lines share. */
export function sparklineOn(
  { low, span }: SparklineScale,
  values: readonly number[],
  { width, height, stroke = 1.5 }: { width: number; height: number; stroke?: number },
): string {
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
