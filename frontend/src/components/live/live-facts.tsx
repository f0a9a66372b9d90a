"use client";

import type { ReactNode } from "react";
import type { StepRecord } from "@/api/types";
import { count, decimal, NONE } from "@/lib/number";

interface LiveFactsProps {
  /** What is on screen; null before the first frame. */
  record: StepRecord | null;
  /** A description of who acts, where nothing else names it. */
  policy?: string;
}

/** Episode, step and return on screen, and who acts. Space is reserved while they are unknown. */
export function LiveFacts({ record, policy }: LiveFactsProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <dl className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-x-5 text-xs">
        <Fact label="Episode">{record ? count(record.episode + 1) : NONE}</Fact>
        <Fact label="Step">{record ? count(record.index) : NONE}</Fact>
        <Fact label="Return">
          {record ? decimal(record.episode_return) : NONE}
          {record && ending(record)}
        </Fact>
      </dl>
      {policy !== undefined && (
        <p className="min-h-4.25 truncate text-xs text-ink-faint tabular-nums" title={policy}>
          {policy}
        </p>
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-1.5">
      <dt className="text-ink-faint">{label}</dt>
      <dd className="min-w-[4ch] truncate font-medium tabular-nums">{children}</dd>
    </div>
  );
}

function ending({ terminated, truncated }: StepRecord) {
  if (!terminated && !truncated) return null;
  return (
    <span className="font-normal text-ink-soft"> {terminated ? "terminated" : "truncated"}</span>
  );
}
