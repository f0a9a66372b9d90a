import { sparklinePaths } from "@/charts/sparkline";

const WIDTH = 104;
const HEIGHT = 26;

/** The returns of several seeds as small lines on one scale. */
export function GroupSparkline({
  seeds,
  className,
}: {
  seeds: readonly (readonly number[])[];
  className?: string;
}) {
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      className={className}
    >
      {sparklinePaths(seeds, WIDTH, HEIGHT).map((path, i) => (
        <path
          key={i}
          d={path}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.25}
          strokeOpacity={0.6}
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}
