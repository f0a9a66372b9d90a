import type { Interval } from "./model";

export const MARK_KINDS = ["solved", "best", "evaluation", "checkpoint"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** Something that happened to the run at a place on the axis. */
export interface ChartMark {
  id: string;
  kind: MarkKind;
  /** In units of the axis. */
  at: number;
  /** In a sentence, with the step. */
  text: string;
}

/** Marks too close to be told apart, shown as one. */
export interface MarkGroup {
  /** Share of the axis, from 0 to 1. */
  share: number;
  /** The most telling kind among them. */
  kind: MarkKind;
  marks: readonly ChartMark[];
}

/** The marks within the range `x` of an axis that is `width` pixels long, those nearer than `apart` pixels together. */
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
