"use client";

import { type ReactNode, useState } from "react";
import type { ChartSpec } from "@/components/charts";
import { Badge } from "@/components/ui/badge";
import { Disclosure } from "@/components/ui/disclosure";

interface MoreMetricsProps {
  specs: readonly ChartSpec[];
  /** How many metrics `aside` tells. */
  figures: number;
  /** Metrics that are told without a chart. */
  aside: ReactNode;
  /** One of them is highlighted, so the section is open. */
  pointed: boolean;
  children: (spec: ChartSpec) => ReactNode;
}

/** Every other metric of the journal. Charts are made when somebody wants to see them. */
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
          {specs.length > 0 && (
            <div className="grid gap-4 sm:grid-cols-2">{specs.map(children)}</div>
          )}
          {aside}
        </div>
      )}
    </Disclosure>
  );
}
