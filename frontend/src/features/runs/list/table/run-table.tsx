"use client";

import { type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, type MouseEvent, useCallback, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Run, RunFilter } from "@/lib/api";
import { useMediaQuery } from "@/lib/media/use-media-query";
import { useAlgorithmName } from "@/lib/registry";
import { useNow } from "@/lib/time/use-now";
import { routes, type Sort } from "@/lib/url";
import { type ListCommand, commandFor } from "./keyboard";
import { usePageKeys } from "./use-page-keys";
import { CARDS, ROW_HEIGHT } from "../layout/layout";
import layout from "../layout/layout.module.css";
import { RunRow } from "../row/run-row";
import type { Selection } from "../selection/selection";
import { TableHead } from "./table-head";
import { useRunsAround } from "../paging/use-run-pages";
import { RowSlots } from "../scroll/row-slots";
import { useFastScroll } from "../scroll/use-fast-scroll";
import { linesInView } from "../scroll/lines-in-view";

export interface RunTableActions {
  toggle: (run: Run, index: number) => void;
  selectTo: (index: number) => void;
  selectAll: () => void;
  clearSelection: () => void;
  edit: (run: Run) => void;
  remove: (runs: readonly Run[]) => void;
  openMenu: (run: Run, button: HTMLElement) => void;
}

interface RunTableProps {
  filter: RunFilter;
  total: number;
  sort: Sort;
  onSort: (sort: Sort) => void;
  selection: Selection;
  actions: RunTableActions;
}

const OVERSCAN = 4;
/** Pixels of the window that the header, the column titles and the bars at the bottom cover. */
const COVERED = { top: 92, bottom: 84 };

/**
 * A virtualised table of all runs: only rows in view are in the document. The keyboard's position is on one
 * row at a time.
 */
export function RunTable(props: RunTableProps) {
  const { filter, total, sort, onSort, selection, actions } = props;
  const cards = useMediaQuery(CARDS);
  const height = cards ? ROW_HEIGHT.cards : ROW_HEIGHT.table;
  const fast = useFastScroll();
  const now = useNow("minute");
  // Read once here, since each row would otherwise subscribe to the query itself.
  const algorithmName = useAlgorithmName();
  const router = useRouter();
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [slots] = useState(() => new RowSlots());
  const [line, setLine] = useState(0);
  const current = Math.min(line, total - 1);
  const virtualizer = useWindowVirtualizer({
    count: total,
    estimateSize: () => height,
    overscan: OVERSCAN,
    useFlushSync: false, // A row drawn one frame late is not noticed; a blocked scroll is.
    scrollMargin: top,
    scrollPaddingStart: COVERED.top,
    scrollPaddingEnd: COVERED.bottom,
    rangeExtractor: useCallback((range: Range) => linesInView(range, current), [current]),
  });
  const place = useCallback((element: HTMLDivElement | null) => {
    body.current = element;
    if (element) setTop(element.getBoundingClientRect().top + window.scrollY);
  }, []);
  const lines = virtualizer.getVirtualItems().map(({ index }) => index);
  const slotOf = slots.assign(lines);
  const { startIndex: first = 0, endIndex: last = 0 } = virtualizer.range ?? {};
  const { runAt, error } = useRunsAround(filter, { first, last, total, passing: fast });

  const goTo = (index: number) => {
    flushSync(() => setLine(index));
    virtualizer.scrollToIndex(index, { align: "auto" });
    body.current
      ?.querySelector<HTMLElement>(`[data-index="${index}"]`)
      ?.focus({ preventScroll: true });
  };

  const handle = (command: ListCommand, index: number) => {
    const run = runAt(index);
    switch (command.kind) {
      case "move":
        goTo(command.to);
        if (command.extend) actions.selectTo(command.to);
        return;
      case "select-all":
        return actions.selectAll();
      case "clear":
        return actions.clearSelection();
    }
    if (!run) return;
    switch (command.kind) {
      case "open":
        return router.push(routes.run(run.id));
      case "select":
        return command.extend ? actions.selectTo(index) : actions.toggle(run, index);
      case "edit":
        return actions.edit(run);
      case "delete":
        return actions.remove([run]);
      case "menu":
        return actions.openMenu(run, buttonOf(body.current, index));
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const index = lineOf(target);
    if (index === null) return;
    // A button or checkbox with the focus handles Enter and Space itself.
    if (target.role !== "row" && (event.key === "Enter" || event.key === " ")) return;
    const screen = Math.max(1, Math.floor((window.innerHeight - COVERED.top) / height) - 1);
    const command = commandFor(event, { index, count: total, screen });
    if (!command || (command.kind === "clear" && selection.ids.size === 0)) return;
    event.preventDefault();
    handle(command, index);
  };

  usePageKeys((command) => {
    // Pressed elsewhere on the page, the first key only leads to the current row.
    if (command.kind === "move") return goTo(current);
    handle(command, current);
  });

  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    const index = lineOf(target);
    const run = index === null ? null : runAt(index);
    if (index === null || !run) return;
    setLine(index);
    const act = target.closest<HTMLElement>("[data-act]");
    if (act?.dataset.act === "select") {
      return event.shiftKey ? actions.selectTo(index) : actions.toggle(run, index);
    }
    if (act?.dataset.act === "menu") return actions.openMenu(run, act);
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (plain && target.closest("a")) {
      event.preventDefault();
      router.push(routes.run(run.id));
    }
  };

  return (
    <div
      role="grid"
      aria-label="Runs"
      aria-rowcount={total + 1}
      aria-multiselectable
      className={layout.frame}
    >
      <TableHead
        sort={sort}
        onSort={onSort}
        total={total}
        selected={selection.ids.size}
        onSelectAll={actions.selectAll}
        onClear={actions.clearSelection}
      />
      <div
        ref={place}
        role="rowgroup"
        className="relative"
        style={{ height: total * height }}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        {lines.map((index, i) => {
          const run = runAt(index);
          return (
            <RunRow
              key={slotOf[i]}
              run={run}
              index={index}
              top={index * height}
              selected={run !== null && selection.ids.has(run.id)}
              current={index === current}
              algorithmName={algorithmName}
              passing={fast}
              cards={cards}
              now={now}
            />
          );
        })}
      </div>
      {error && (
        <p role="alert" className="sr-only">
          Some runs could not be loaded.
        </p>
      )}
    </div>
  );
}

function lineOf(target: HTMLElement): number | null {
  const row = target.closest<HTMLElement>("[data-index]");
  return row ? Number(row.dataset.index) : null;
}

function buttonOf(body: HTMLElement | null, index: number): HTMLElement {
  const row = body?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  return row?.querySelector<HTMLElement>('[data-act="menu"]') ?? row ?? document.body;
}
