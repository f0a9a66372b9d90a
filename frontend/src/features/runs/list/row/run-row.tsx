import clsx from "clsx";
import { memo, useState } from "react";
import type { Run } from "@/lib/api";
import layout from "../layout/layout.module.css";
import { PlaceholderCells } from "./placeholder-cells";
import { RunCells } from "./run-cells";

interface RunRowProps {
  /** Null until its page is loaded; the row keeps its height and the keyboard's position. */
  run: Run | null;
  index: number;
  top: number;
  selected: boolean;
  /** Whether the keyboard's position is on this row. */
  current: boolean;
  algorithmName: (id: string) => string;
  /** Whether rows scroll by too fast to read. A row that comes into view meanwhile is drawn as a placeholder. */
  passing: boolean;
  cards: boolean;
  now: number;
}

/**
 * One run: a row of the table, or a card on a phone. Memoised, so that it renders again only when its own
 * props change; events are handled by the table around it, which keeps rows light.
 */
export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { run, index, top, selected, current, algorithmName, passing, cards, now } = props;
  // A row element is reused for other rows of the list. Once drawn in full, it stays so until it is
  // reused.
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
