"use client";

import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { fetchMetricHistory } from "@/api/metrics";
import type { Hint } from "@/api/types";
import { hintCurvePath } from "./hint-curve-path";

const SIZE = { width: 220, height: 56 };
const POINTS = 110;

/** The curve that a hint refers to, with the stretch marked. While it loads, its space is reserved. */
export function HintCurve({ runId, hint }: { runId: string; hint: Hint }) {
  const { metric, from_step: from, to_step: to } = hint;
  const { data } = useQuery({
    queryKey: [...keys.hints(runId), "curve", metric],
    queryFn: ({ signal }) =>
      fetchMetricHistory(runId, { names: [metric], maxPoints: POINTS }, signal),
  });
  const series = data?.series[metric];
  const drawn = series && hintCurvePath(series.x, series.y, { from, to }, SIZE);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      preserveAspectRatio="none"
      className="h-14 w-full rounded-md bg-sunken sm:w-55"
    >
      {drawn && (
        <>
          <rect
            x={drawn.mark.from}
            width={drawn.mark.to - drawn.mark.from}
            height={SIZE.height}
            className="fill-warn-tint"
          />
          <path
            d={`M${drawn.mark.from} 0V${SIZE.height}M${drawn.mark.to} 0V${SIZE.height}`}
            className="stroke-warn"
            vectorEffect="non-scaling-stroke"
          />
          <path
            d={drawn.path}
            fill="none"
            className="stroke-chart-mean"
            strokeWidth={1.5}
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}
