"use client";

import { type ComponentProps, type ReactNode, useState } from "react";
import type { ChartSpec } from "@/charts/prepare/model";
import { Badge } from "@/ui/badge";
import { Disclosure } from "@/ui/disclosure";
import { ChartGrid } from "./chart-grid";

interface MoreMetricsProps {
  specs: readonly ChartSpec[];
  /** Number of metrics in `aside`. */
  figures: number;
  /** Metrics shown without a chart. */
  aside: ReactNode;
  /** Whether one of the metrics is highlighted, so that the section starts open. */
  pointed: boolean;
  children: ComponentProps<typeof ChartGrid>["children"];
}

/** All other metrics of the journal. The charts are created when the section is opened. */
export function MoreMetrics({ specs, figures, aside, pointed, children }: MoreMetricsProps) {
  const [opened, setOpened] = useState(false);
  const count = specs.length + figures;
  if (count === 0) return null;
  const open = opened || pointed;
  return (
    <Disclosure
      open={open}
      onToggle={setOpened}
      summary={
        <span className="flex items-center gap-2">
          More metrics <Badge>{count}</Badge>
        </span>
      }
      className="rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      {open && (
        <div className="flex flex-col gap-4 pt-2 pb-2.5">
          {specs.length > 0 && <ChartGrid specs={specs}>{children}</ChartGrid>}
          {aside}
        </div>
      )}
    </Disclosure>
  );
}
