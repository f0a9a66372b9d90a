"use client";

import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useRef } from "react";
import { recordsOf, type StepSearch, stepsQuery } from "@/api/steps";
import type { Evaluation, StepRecord, StepsInfo } from "@/api/types";
import { useStore } from "@/lib/use-store";
import type { OtherFutures } from "@/player/futures/other-futures";
import type { Point } from "@/player/video/player";
import { columnsOf, shownColumns, type StepColumn } from "./step-columns";
import { nextSort } from "./step-filter";
import { columnChoice } from "./step-filters";
import { PAGE_ROWS } from "./steps-panel";

const ROW = 28;
const OVERSCAN = 12;
const GRID = "grid gap-2 px-2";

interface StepTableProps {
  evaluation: Evaluation;
  search: StepSearch;
  info: StepsInfo;
  total: number;
  sort: string;
  onSort: (sort: string) => void;
  onPick: ((episode: number, index: number) => void) | null;
  onOther: OtherFutures["ask"];
}

/** All records as one long list. Only the lines in view exist, and only the pages around them are requested. */
export function StepTable({
  evaluation,
  search,
  info,
  total,
  sort,
  onSort,
  onPick,
  onOther,
}: StepTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is memoised or handed on
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    useFlushSync: false,
  });
  const lines = virtualizer.getVirtualItems();
  const pages = [...new Set(lines.map(({ index }) => Math.floor(index / PAGE_ROWS)))];
  const answers = useQueries({
    queries: pages.map((page) => ({
      ...stepsQuery(evaluation.run_id, evaluation.id, {
        ...search,
        from: page * PAGE_ROWS,
        to: (page + 1) * PAGE_ROWS,
      }),
      placeholderData: undefined, // another page's records are none of this one
    })),
    combine: (results) =>
      new Map(results.map(({ data }, place) => [pages[place], data && recordsOf(data)])),
  });
  const columns = shownColumns(columnsOf(info), useStore(columnChoice));
  const grid = gridOf(columns);
  return (
    <div
      ref={scroller}
      role="table"
      aria-label="Steps"
      aria-rowcount={total + 1}
      tabIndex={0}
      className="h-80 overflow-auto rounded-md border border-line text-xs tabular-nums"
    >
      <div
        role="row"
        style={grid}
        className={clsx(GRID, "sticky top-0 z-10 border-b border-line bg-raised py-1.5")}
      >
        {columns.map((column) => (
          <ColumnHead key={column.name} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      <div
        className="relative"
        style={{ height: virtualizer.getTotalSize(), minWidth: grid.minWidth }}
      >
        {lines.map(({ index, start }) => {
          const record = answers.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
          return (
            <Line
              key={index}
              index={index}
              top={start}
              record={record}
              columns={columns}
              grid={grid}
              onPick={onPick}
              onOther={onOther}
            />
          );
        })}
      </div>
    </div>
  );
}

interface ColumnHeadProps {
  column: StepColumn;
  sort: string;
  onSort: (sort: string) => void;
}

function ColumnHead({ column: { title, isText, sortBy }, sort, onSort }: ColumnHeadProps) {
  const up = sortBy !== null && sort === sortBy;
  const down = sortBy !== null && sort === `-${sortBy}`;
  const Arrow = up ? ArrowUp : ArrowDown;
  return (
    <span
      role="columnheader"
      title={title}
      aria-sort={up ? "ascending" : down ? "descending" : undefined}
      className={clsx("min-w-0 text-ink-faint", isText ? "text-left" : "text-right")}
    >
      {sortBy ? (
        <button
          type="button"
          className="inline-flex max-w-full items-center gap-1 hover:text-ink"
          onClick={() => onSort(nextSort(sort, sortBy))}
        >
          <span className="truncate">{title}</span>
          {(up || down) && <Arrow aria-hidden className="size-3 shrink-0" />}
        </button>
      ) : (
        title
      )}
    </span>
  );
}

interface Grid {
  gridTemplateColumns: string;
  minWidth: string;
}

/** Every line is a separate grid, so widths are given instead of computed. */
function gridOf(columns: readonly StepColumn[]): Grid {
  const width = columns.reduce((sum, column) => sum + column.width + 0.5, 0.5);
  return {
    gridTemplateColumns: columns
      .map(({ width, grows }) => (grows ? `minmax(${width}rem, 1fr)` : `${width}rem`))
      .join(" "),
    minWidth: `${width}rem`,
  };
}

interface LineProps {
  index: number;
  top: number;
  record: StepRecord | undefined;
  columns: readonly StepColumn[];
  grid: Grid;
  onPick: StepTableProps["onPick"];
  onOther: StepTableProps["onOther"];
}

function Line({ index, top, record, columns, grid, onPick, onOther }: LineProps) {
  const pick =
    record && onPick
      ? () => {
          onPick(record.episode, record.index);
        }
      : undefined;
  const other =
    record &&
    ((point: Point) => {
      pick?.();
      onOther({ episode: record.episode, step: record.index }, point);
    });
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-keyshortcuts="O"
      tabIndex={0}
      onClick={pick}
      onKeyDown={(event) => {
        if (event.key === "Enter") pick?.();
        if (event.key.toLowerCase() !== "o" || event.ctrlKey || event.metaKey || event.altKey)
          return;
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        other?.({ x: left, y: bottom });
      }}
      onContextMenu={(event) => {
        if (!other) return;
        event.preventDefault();
        other({ x: event.clientX, y: event.clientY });
      }}
      className={clsx(
        GRID,
        "absolute inset-x-0 items-center -outline-offset-2!",
        pick && "cursor-pointer hover:bg-sunken",
      )}
      style={{ ...grid, top, height: ROW }}
    >
      {record &&
        columns.map(({ name, isText, text }) => (
          <span
            key={name}
            role="cell"
            className={clsx("truncate", isText ? "text-left" : "text-right")}
          >
            {text(record)}
          </span>
        ))}
    </div>
  );
}
