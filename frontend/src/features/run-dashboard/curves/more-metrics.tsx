"use client";

import { type ReactNode, useState } from "react";
import type { ChartSpec } from "@/components/charts";
import { Badge } from "@/components/ui/badge";
import { Disclosure } from "@/components/ui/disclosure";

interface MoreMetricsProps {
  specs: readonly ChartSpec[];
  /** One of them is highlighted, so the section is open. */
  pointed: boolean;
  children: (spec: ChartSpec) => ReactNode;
}

/** Every other metric of the journal. Charts are made when somebody wants to see them. */
export function MoreMetrics({ specs, pointed, children }: MoreMetricsProps) {
  const [opened, setOpened] = useState(false);
  if (specs.length === 0) return null;
  const open = opened || pointed;
  return (
    <Disclosure
      open={open}
      onToggle={setOpened}
      summary={
        <span className="flex items-center gap-2">
          More metrics <Badge>{specs.length}</Badge>
        </span>
      }
      className="rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      {open && <div className="grid gap-4 pt-2 pb-2.5 sm:grid-cols-2">{specs.map(children)}</div>}
    </Disclosure>
  );
}
