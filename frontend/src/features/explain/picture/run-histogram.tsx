import type { Histogram } from "@/api/types";
import type { Frame } from "@/charts/figure";
import { clamp } from "@/charts/figure-scale";

interface RunHistogramProps {
  frame: Frame;
  histogram: Histogram;
  /** Height of the tallest bar as a share of the picture's. */
  tallest?: number;
}

/** A histogram of values from a run along the x axis, drawn behind everything else. */
export function RunHistogram({ frame, histogram, tallest = 0.3 }: RunHistogramProps) {
  const { x, left, right, top, bottom } = frame;
  const { low, high, counts } = histogram;
  const most = Math.max(...counts, 1);
  const wide = (high - low) / counts.length;
  return (
    <g className="fill-chart-raw" opacity={0.55}>
      {counts.map((count, i) => {
        const [from, to] = [low + i * wide, low + (i + 1) * wide].map((value) =>
          clamp(x(value), left, right),
        ) as [number, number];
        const tall = (count / most) * tallest * (bottom - top);
        return <rect key={i} x={from} y={bottom - tall} width={to - from} height={tall} />;
      })}
    </g>
  );
}
