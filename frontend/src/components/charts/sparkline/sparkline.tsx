import { sparklinePath } from "./sparkline-path";

const WIDTH = 104;
const HEIGHT = 26;

interface SparklineProps {
  values: readonly number[];
  /** What it shows, in words; without it the picture is left to its neighbours to describe. */
  label?: string;
  className?: string;
}

/** The way a few values went, as one line. */
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
