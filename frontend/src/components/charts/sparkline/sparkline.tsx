import { sparklinePath } from "./sparkline-path";

const WIDTH = 104;
const HEIGHT = 26;

interface SparklineProps {
  values: readonly number[];
  /** A text alternative. Without one the picture is hidden from screen readers, as the text beside it says the same. */
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
