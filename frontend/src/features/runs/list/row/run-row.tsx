import clsx from "clsx";
import { memo, useState } from "react";
import type { Run } from "@/lib/api";
import layout from "../layout/layout.module.css";
import { PlaceholderCells } from "./placeholder-cells";
import { RunCells } from "./run-cells";

interface RunRowProps {
  /** Null until its page has come; the line keeps its place and the keyboard's. */
  run: Run | null;
  index: number;
  top: number;
  selected: boolean;
  /** The line the keyboard is on. */
  current: boolean;
  algorithmName: (id: string) => string;
  /** The list goes by too fast to read: a line that comes into view now is not drawn in full. */
  passing: boolean;
  cards: boolean;
  now: number;
}

/**
 * One run: a line of the table, a card on a phone. Drawn again only when something of its own changes; the
 * table around it listens for all rows, which keeps each one light.
 */
export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, index, top, selected, current, algorithmName, passing, cards, now } = props;
  // The row takes another line when its own has left the view; a line once drawn in full stays so.
  const [drawnLine, setDrawnLine] = useState(passing ? null : index);
  const drawn = !passing || drawnLine === index;
  if (drawn && drawnLine !== index) setDrawnLine(index);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-busy={run === null || !drawn || undefined}
      data-index={index}
      tabIndex={current ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      className={clsx(
        layout.line,
        layout.row,
        "border-b border-line text-sm -outline-offset-2!",
        selected ? "bg-accent-tint" : "bg-surface hover:bg-sunken",
      )}
    >
      {run && drawn ? (
        <RunCells
          run={run}
          selected={selected}
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
