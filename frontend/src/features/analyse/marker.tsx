interface MarkerProps {
  x: string;
  y: string;
  /** The number of the group, from which its shape follows: groups differ by more than their colour. */
  shape: number;
  /** Name of a CSS variable without the leading dashes. */
  color: string;
}

const SHAPES = [
  "M0-4a4 4 0 1 0 .01 0z",
  "M-3.5-3.5h7v7h-7z",
  "M0-4.5l4.4 8h-8.8z",
  "M0-5l4 5-4 5-4-5z",
  "M0 4.5l4.4-8h-8.8z",
];

/** A point of a scatter plot. */
export function Marker({ x, y, shape, color }: MarkerProps) {
  return (
    <svg x={x} y={y} className="overflow-visible">
      <path
        d={SHAPES[shape % SHAPES.length]}
        style={{ fill: `var(--${color})`, stroke: "var(--surface)" }}
        fillOpacity={0.75}
        strokeWidth={0.75}
      />
    </svg>
  );
}
