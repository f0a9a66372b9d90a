"use client";

import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useRef } from "react";
import {
  type Evaluation,
  recordsOf,
  type StepRecord,
  type StepSearch,
  type StepsInfo,
  stepsQuery,
} from "@/lib/api";
import { actionText } from "@/components/thoughts";
import { count, decimal } from "@/lib/format";
import { nextSort } from "./step-filter";
import { PAGE_ROWS } from "./steps-panel";

const ROW = 28;
const OVERSCAN = 12;
const GRID =
  "grid min-w-[29rem] grid-cols-[1.5rem_3rem_minmax(5rem,1fr)_3.5rem_4rem_4rem_4.75rem] gap-2 px-2";

interface StepTableProps {
  evaluation: Evaluation;
  search: StepSearch;
  info: StepsInfo;
  total: number;
  sort: string;
  onSort: (sort: string) => void;
  onPick: ((episode: number, index: number) => void) | null;
}

/** All records as one long list, of which only the lines in view exist and only the pages around them are asked for. */
export function StepTable({
  evaluation,
  search,
  info,
  total,
  sort,
  onSort,
  onPick,
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
  const expected = info.names.includes("reading.value")
    ? "reading.value"
    : info.names.includes("reading.action_value")
      ? "reading.action_value"
      : null;
  const columns = [
    { name: "episode", title: "#" },
    { name: "index", title: "Step" },
    { name: null, title: "Action" },
    { name: "reward", title: "Reward" },
    { name: "episode_return", title: "Return" },
    { name: expected, title: expected === "reading.action_value" ? "Q(s, a)" : "V(s)" },
    { name: null, title: "End" },
  ];
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
        className={clsx(GRID, "sticky top-0 z-10 border-b border-line bg-raised py-1.5")}
      >
        {columns.map(({ name, title }, place) => (
          <span
            key={place}
            role="columnheader"
            aria-sort={
              name && sort === name
                ? "ascending"
                : name && sort === `-${name}`
                  ? "descending"
                  : undefined
            }
            className={clsx("text-ink-faint", isText(place) ? "text-left" : "text-right")}
          >
            {name ? (
              <button
                type="button"
                className="inline-flex items-center gap-1 hover:text-ink"
                onClick={() => onSort(nextSort(sort, name))}
              >
                {title}
                {sort === name && <ArrowUp aria-hidden className="size-3" />}
                {sort === `-${name}` && <ArrowDown aria-hidden className="size-3" />}
              </button>
            ) : (
              title
            )}
          </span>
        ))}
      </div>
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {lines.map(({ index, start }) => {
          const record = answers.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
          return (
            <Line
              key={index}
              index={index}
              top={start}
              record={record}
              info={info}
              onPick={onPick}
            />
          );
        })}
      </div>
    </div>
  );
}

/** A number of a record; nothing where the record says null. */
const numberText = (value: number | null) => (value === null ? "" : decimal(value));

interface LineProps {
  index: number;
  top: number;
  record: StepRecord | undefined;
  info: StepsInfo;
  onPick: StepTableProps["onPick"];
}

function Line({ index, top, record, info, onPick }: LineProps) {
  const cells = record
    ? [
        record.episode + 1,
        count(record.index),
        actionText(record.action, info.action) ?? "",
        numberText(record.reward),
        numberText(record.episode_return),
        numberText(record.reading?.value ?? record.reading?.action_value ?? null),
        record.terminated ? "terminated" : record.truncated ? "truncated" : "",
      ]
    : [];
  const pick =
    record && onPick
      ? () => {
          onPick(record.episode, record.index);
        }
      : undefined;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={pick ? 0 : undefined}
      onClick={pick}
      onKeyDown={(event) => event.key === "Enter" && pick?.()}
      className={clsx(
        GRID,
        "absolute inset-x-0 items-center -outline-offset-2!",
        pick && "cursor-pointer hover:bg-sunken",
      )}
      style={{ top, height: ROW }}
    >
      {cells.map((cell, place) => (
        <span
          key={place}
          role="cell"
          className={clsx("truncate", isText(place) ? "text-left" : "text-right")}
        >
          {cell}
        </span>
      ))}
    </div>
  );
}

/** Names stand on the left, numbers on the right. */
function isText(place: number): boolean {
  return place === 0 || place === 2 || place === 6;
}
