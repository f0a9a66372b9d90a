import type { ReactNode } from "react";
import type { Histogram } from "@/api/types";
import { Plot } from "@/charts/figure";
import { linearTicks } from "@/charts/figure-scale";
import { decimal } from "@/lib/number";
import { RunHistogram } from "./run-histogram";
import { RunNote } from "./run-note";

interface RunDistributionProps {
  /** Of the axis: what is distributed. */
  label: string;
  histogram: Histogram;
  /** What it is, and of which update. */
  children: ReactNode;
}

/** A distribution from a run on axes of its own, for a picture whose axes have another unit. */
export function RunDistribution({ label, histogram, children }: RunDistributionProps) {
  const { low, high, mean, std } = histogram;
  const domain = [low, high] as const;
  return (
    <div className="mt-4 flex flex-col gap-1">
      <Plot
        label={`Of this run, ${label}: mean ${decimal(mean)}, standard deviation ${decimal(std)}`}
        height={120}
        x={{ domain, ticks: linearTicks(domain).map(({ at }) => at), label }}
        y={{ domain: [0, 1], ticks: [], label: "" }}
      >
        {(frame) => <RunHistogram frame={frame} histogram={histogram} tallest={1} />}
      </Plot>
      <RunNote>{children}</RunNote>
    </div>
  );
}
