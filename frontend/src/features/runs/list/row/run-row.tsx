import clsx from "clsx";
import { lazy, memo, Suspense, useState } from "react";
import type { Run, SeedGroup } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import layout from "../layout/layout.module.css";
import { PlaceholderCells } from "./placeholder-cells";
import { RunCells } from "./run-cells";

// Loaded with the first group, since many lists have none.
const GroupCells = lazy(
  withRetry(() => import("./group-cells").then(({ GroupCells }) => ({ default: GroupCells }))),
);

interface RunRowProps {
  /** Null until its page is loaded; the row keeps its height and the keyboard's position. */
  run: Run | null;
  /** The group, if this is its line. */
  group: SeedGroup | null;
  /** Whether the line is that of a seed below its open group. */
  isSeed: boolean;
  /** Whether the seeds of the group are shown. */
  isOpen: boolean;
  /** Whether rows have levels, because some are groups. */
  isTree: boolean;
  index: number;
  top: number;
  /** How many of its runs are selected. */
  selected: number;
  /** Whether the keyboard's position is on this row. */
  current: boolean;
  algorithmName: (id: string) => string;
  /** Whether rows scroll by too fast to read. A row that comes into view meanwhile is drawn as a placeholder. */
  passing: boolean;
  cards: boolean;
  now: number;
}

/**
 * One run, or a group of seeds: a row of the table, or a card on a phone. Memoised, so that it renders again only when its own
 * props change; events are handled by the table around it, which keeps rows light.
 */
export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, group, isSeed, isOpen, isTree, index, top, selected, current } = props;
  const { algorithmName, passing, cards, now } = props;
  const all = selected === (group?.run_ids.length ?? 1);
  // A row element is reused for other rows of the list. Once drawn in full, it stays so until it is
  // reused.
  const [drawnLine, setDrawnLine] = useState(passing ? null : index);
  const drawn = !passing || drawnLine === index;
  if (drawn && drawnLine !== index) setDrawnLine(index);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={all}
      aria-level={isTree ? (isSeed ? 2 : 1) : undefined}
      aria-expanded={group ? isOpen : undefined}
      aria-busy={run === null || !drawn || undefined}
      data-index={index}
      tabIndex={current ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      className={clsx(
        layout.line,
        layout.row,
        "border-b border-line text-sm -outline-offset-2!",
        isSeed && layout.seed,
        all ? "bg-accent-tint" : "bg-surface hover:bg-sunken",
      )}
    >
      {run && group && drawn ? (
        <Suspense fallback={<PlaceholderCells />}>
          <GroupCells
            {...{ group, run, selected, isOpen, current, cards, now }}
            algorithm={algorithmName(run.algo)}
          />
        </Suspense>
      ) : run && drawn ? (
        <RunCells
          run={run}
          selected={all}
          current={current}
          algorithm={algorithmName(run.algo)}
          cards={cards}
          now={now}
        />
      ) : (
        <PlaceholderCells />
      )}
    </div>
  );
});
