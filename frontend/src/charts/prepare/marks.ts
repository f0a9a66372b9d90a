import type { Interval } from "./model";

export const MARK_KINDS = [
  "solved",
  "fork",
  "best",
  "resumed",
  "steered",
  "evaluation",
  "snapshot",
  "checkpoint",
] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

interface MarkLook {
  /** Name in a legend. */
  name: string;
  /** An outline in a box of 10 × 10, filled or drawn as a line: shapes differ, as colour never says something alone. */
  path: string;
  isLine?: boolean;
  /** Name of the colour's token. */
  color: string;
}

/** Read by the page and by exported pictures. */
export const MARK_LOOKS: Readonly<Record<MarkKind, MarkLook>> = {
  solved: { name: "Solved", path: "M1.5 5.5 4 8 8.5 2", isLine: true, color: "good" },
  best: {
    name: "Best policy",
    path: "M5 .5 6.3 3.6l3.2.3-2.4 2.2.7 3.2L5 7.6 2.2 9.3l.7-3.2L.5 3.9l3.2-.3z",
    color: "accent",
  },
  fork: {
    name: "Fork",
    path: "M2.5 1.5v7M2.5 5.5Q7.5 5.5 7.5 1.5",
    isLine: true,
    color: "ink",
  },
  resumed: { name: "Resumed or gone back", path: "M7.5 1.5 3 5l4.5 3.5z", color: "ink-soft" },
  steered: { name: "Rule or setting", path: "M5 1 9.3 8.5H.7z", color: "warn" },
  evaluation: { name: "Evaluation", path: "M2 1.5v7l6-3.5z", color: "series-4" },
  snapshot: { name: "Snapshot", path: "M5 1 9 5 5 9 1 5z", color: "series-3" },
  checkpoint: { name: "Checkpoint", path: "M4 2h2v8h-2z", color: "ink-faint" },
};

/** Marks with fewer pixels than this between them are shown as a group. */
export const MARKS_APART = 12;

/** An event of the run, marked on the axis. */
export interface ChartMark {
  id: string;
  kind: MarkKind;
  /** Position in units of the axis. */
  at: number;
  /** A sentence that says what happened and at which step. */
  text: string;
}

/** Marks that are too close to distinguish, shown as one. */
export interface MarkGroup {
  /** Share of the axis, from 0 to 1. */
  share: number;
  /** The most important kind among them. */
  kind: MarkKind;
  marks: readonly ChartMark[];
}

/**
 * The marks within `x` on an axis of `width` pixels, in groups of those nearer than `apart` pixels to each
 * other.
 */
export function groupMarks(
  marks: readonly ChartMark[],
  [from, to]: Interval,
  width: number,
  apart: number,
): MarkGroup[] {
  const place = ({ at }: ChartMark) => (at - from) / (to - from);
  const groups: ChartMark[][] = [];
  for (const mark of marks.toSorted((a, b) => a.at - b.at)) {
    if (mark.at < from || mark.at > to) continue;
    const group = groups.at(-1);
    if (group && (place(mark) - place(group[0]!)) * width < apart) group.push(mark);
    else groups.push([mark]);
  }
  return groups.map((group) => {
    const lead = group.toSorted((a, b) => rank(a) - rank(b))[0]!;
    return { share: place(lead), kind: lead.kind, marks: group };
  });
}

function rank({ kind }: ChartMark): number {
  return MARK_KINDS.indexOf(kind);
}
