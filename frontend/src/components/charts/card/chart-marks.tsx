"use client";

import clsx from "clsx";
import { Tooltip } from "@/components/ui/tooltip";
import { PLOT_INSET } from "../plot/options";
import { groupMarks, type ChartMark, type MarkGroup, type MarkKind } from "../prepare/marks";
import type { ChartModel } from "../prepare/model";

interface ChartMarksProps {
  marks: readonly ChartMark[];
  model: ChartModel;
  /** Pixels of the whole chart. */
  width: number;
}

/** Pixels between two marks below which they stand as one. */
const APART = 12;
/** Marks of a group that its tooltip tells one by one. */
const TOLD = 6;

/** What happened to the run, on the foot of the plot: each mark tells itself when it is hovered or focused. */
export function ChartMarks({ marks, model, width }: ChartMarksProps) {
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (inner <= 0) return null;
  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  return (
    <ul aria-label="Events" className="pointer-events-none absolute inset-0">
      {groupMarks(marks, model.x, inner, APART).map((group) => (
        <li
          key={group.marks[0]!.id}
          className="absolute"
          style={{ left: PLOT_INSET.left + group.share * inner, bottom: foot }}
        >
          <Mark group={group} />
        </li>
      ))}
    </ul>
  );
}

function Mark({ group: { kind, marks } }: { group: MarkGroup }) {
  const told = marks.slice(0, TOLD).map(({ text }) => text);
  if (marks.length > TOLD) told.push(`and ${marks.length - TOLD} more`);
  return (
    <Tooltip
      text={
        <ul>
          {told.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      }
    >
      <button
        type="button"
        aria-label={told.join(" ")}
        data-kind={kind}
        className="pointer-events-auto grid h-4 w-3 -translate-x-1/2 place-items-center rounded-sm hover:bg-rest-tint"
      >
        <MarkShape kind={kind} />
      </button>
    </Tooltip>
  );
}

const TONES: Record<MarkKind, string> = {
  solved: "text-good",
  best: "text-accent",
  evaluation: "text-series-4",
  checkpoint: "text-ink-faint",
};

/** A shape for each kind, as colour never says something alone. */
export function MarkShape({ kind }: { kind: MarkKind }) {
  return (
    <svg aria-hidden viewBox="0 0 10 10" className={clsx("size-2.5", TONES[kind])}>
      {kind === "solved" && (
        <path d="M1.5 5.5 4 8 8.5 2" fill="none" stroke="currentColor" strokeWidth="2" />
      )}
      {kind === "best" && (
        <path
          d="M5 .5 6.3 3.6l3.2.3-2.4 2.2.7 3.2L5 7.6 2.2 9.3l.7-3.2L.5 3.9l3.2-.3z"
          fill="currentColor"
        />
      )}
      {kind === "evaluation" && <path d="M2 1.5v7l6-3.5z" fill="currentColor" />}
      {kind === "checkpoint" && <rect x="4" y="2" width="2" height="8" fill="currentColor" />}
    </svg>
  );
}
