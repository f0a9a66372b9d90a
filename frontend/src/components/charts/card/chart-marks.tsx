"use client";

import { Tooltip } from "@/ui/tooltip";
import { PLOT_INSET } from "../plot/options";
import {
  type ChartMark,
  groupMarks,
  MARK_LOOKS,
  type MarkGroup,
  type MarkKind,
  MARKS_APART,
} from "../prepare/marks";
import type { ChartModel } from "../prepare/model";

interface ChartMarksProps {
  marks: readonly ChartMark[];
  model: ChartModel;
  /** Pixels of the whole chart. */
  width: number;
}

/** Lines with fewer pixels than this between them are drawn as one. */
const LINES_APART = 3;

/** How many events of a group its tooltip lists. */
const LISTED = 6;

/**
 * Markers of the run's events along the bottom of the plot. Each describes its events when hovered or
 * focused.
 */
export function ChartMarks({ marks, model, width }: ChartMarksProps) {
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (inner <= 0) return null;
  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  return (
    <ul aria-label="Events" className="pointer-events-none absolute inset-0">
      {groupMarks(marks, model.x, inner, MARKS_APART).map((group) => (
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

/** The same as thin lines across the plot, for charts beside the one whose marks tell what happened. */
export function ChartMarkLines({ marks, model, width }: ChartMarksProps) {
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (inner <= 0) return null;
  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0">
      {groupMarks(marks, model.x, inner, LINES_APART).map(({ kind, share, marks: all }) => (
        <span
          key={all[0]!.id}
          data-kind={kind}
          className="absolute flex w-px flex-col items-center"
          style={{
            ...{ left: PLOT_INSET.left + share * inner, top: PLOT_INSET.top, bottom: foot },
            color: `var(--${MARK_LOOKS[kind].color})`,
          }}
        >
          <span className="w-px grow border-l border-dashed border-current opacity-60" />
          <MarkShape kind={kind} />
        </span>
      ))}
    </div>
  );
}

function Mark({ group: { kind, marks } }: { group: MarkGroup }) {
  const lines = marks.slice(0, LISTED).map(({ text }) => text);
  if (marks.length > LISTED) lines.push(`and ${marks.length - LISTED} more`);
  return (
    <Tooltip
      text={
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      }
    >
      <button
        type="button"
        aria-label={lines.join(" ")}
        data-kind={kind}
        className="pointer-events-auto grid h-4 w-3 -translate-x-1/2 place-items-center rounded-sm hover:bg-rest-tint"
      >
        <MarkShape kind={kind} />
      </button>
    </Tooltip>
  );
}

/** The outline of an event's kind in its colour. */
function MarkShape({ kind }: { kind: MarkKind }) {
  const { path, isLine, color } = MARK_LOOKS[kind];
  return (
    <svg
      aria-hidden
      viewBox="0 0 10 10"
      className="size-2.5 shrink-0"
      style={{ color: `var(--${color})` }}
      fill={isLine ? "none" : "currentColor"}
    >
      <path d={path} stroke={isLine ? "currentColor" : undefined} strokeWidth="2" />
    </svg>
  );
}
