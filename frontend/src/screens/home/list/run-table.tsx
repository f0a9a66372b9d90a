"use client";

import { type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, type MouseEvent, useCallback, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useAlgorithmName } from "@/api/choices";
import type { Sort } from "@/api/run-filter";
import { isActive, type RunFilter } from "@/api/runs";
import type { Run, SeedGroup } from "@/api/types";
import { useMediaQuery } from "@/lib/media";
import { routes } from "@/lib/routes";
import { useNow } from "@/lib/time";
import { useStore } from "@/lib/use-store";
import { columnChoice, fittingColumns, gridTemplate, isStandard, STANDARD } from "./column-choice";
import { TableHead } from "./columns";
import { useExtraValues } from "./extra-values";
import { commandFor, type ListCommand, usePageKeys } from "./keyboard";
import layout from "./layout.module.css";
import { type Line, useLinePlaces, useLinesAround, useOpened } from "./lines";
import { RunRow } from "./run-row";
import { linesInView, RowSlots, useFastScroll } from "./scroll";
import type { Selection } from "./selection";

export interface RunTableActions {
  /** `index`: place in the list, of a seed that of its group. */
  toggle: (ids: readonly string[], index: number) => void;
  selectTo: (index: number) => void;
  selectAll: () => void;
  clearSelection: () => void;
  edit: (run: Run) => void;
  remove: (runs: readonly Run[]) => void;
  removeGroup: (group: SeedGroup, run: Run) => void;
  openGroup: (group: SeedGroup) => void;
  openMenu: (run: Run, button: HTMLElement) => void;
  openGroupMenu: (group: SeedGroup, run: Run, button: HTMLElement, unfold: () => void) => void;
}

interface RunTableProps {
  filter: RunFilter;
  /** Runs and groups that match. */
  total: number;
  /** How many lines, from the first on, have a run that trains. */
  training: number;
  /** Runs that match. */
  totalRuns: number;
  isTree: boolean;
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
  const { filter, total, training, totalRuns, isTree, sort, onSort, selection, actions } = props;
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
  const { opened, unfold } = useOpened();
  const places = useLinePlaces(filter, total, opened);
  const { count } = places;
  const current = Math.min(line, count - 1);
  const virtualizer = useWindowVirtualizer({
    count,
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
  const { lineAt, error } = useLinesAround(filter, places, { first, last, total, passing: fast });
  const { frame, columns, extras, template, hasFacts } = useColumns(cards);
  const shownLines = fast ? [] : lines.map(lineAt);
  const values = useExtraValues(
    extras,
    shownLines.flatMap(({ run, group }) => group?.run_ids ?? (run ? [run.id] : [])),
    shownLines.some(({ run }) => run !== null && isActive(run)),
  );

  const goTo = (index: number) => {
    flushSync(() => setLine(index));
    virtualizer.scrollToIndex(index, { align: "auto" });
    body.current
      ?.querySelector<HTMLElement>(`[data-index="${index}"]`)
      ?.focus({ preventScroll: true });
  };

  const openMenu = ({ run, group }: Line, button: HTMLElement) => {
    if (!run) return;
    if (!group) return actions.openMenu(run, button);
    actions.openGroupMenu(group, run, button, () => unfold(group.id, true));
  };

  const handle = (command: ListCommand, index: number) => {
    const { run, group, isSeed, isOpen, index: place } = lineAt(index);
    switch (command.kind) {
      case "move":
        goTo(command.to);
        if (command.extend) actions.selectTo(lineAt(command.to).index);
        return;
      case "select-all":
        return actions.selectAll();
      case "clear":
        return actions.clearSelection();
    }
    if (!run) return;
    switch (command.kind) {
      case "open":
        return group ? actions.openGroup(group) : router.push(routes.run(run.id));
      case "unfold":
        return group ? unfold(group.id, true) : undefined;
      case "fold":
        if (isSeed) return goTo(places.head(index));
        return group && isOpen ? unfold(group.id, false) : undefined;
      case "select":
        return command.extend
          ? actions.selectTo(place)
          : actions.toggle(group?.run_ids ?? [run.id], place);
      case "edit":
        return group ? unfold(group.id, true) : actions.edit(run);
      case "delete":
        return group ? actions.removeGroup(group, run) : actions.remove([run]);
      case "menu":
        return openMenu(lineAt(index), buttonOf(body.current, index));
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const index = lineOf(target);
    if (index === null) return;
    // A button or checkbox with the focus handles Enter and Space itself.
    if (target.role !== "row" && (event.key === "Enter" || event.key === " ")) return;
    const screen = Math.max(1, Math.floor((window.innerHeight - COVERED.top) / height) - 1);
    const command = commandFor(event, { index, count, screen });
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
    if (index === null) return;
    const shown = lineAt(index);
    const { run, group } = shown;
    if (!run) return;
    setLine(index);
    const act = target.closest<HTMLElement>("[data-act]");
    if (act?.dataset.act === "select") {
      return handle({ kind: "select", extend: event.shiftKey }, index);
    }
    if (act?.dataset.act === "menu") return openMenu(shown, act);
    if (act?.dataset.act === "unfold" && group) return unfold(group.id, !shown.isOpen);
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (plain && target.closest("a")) {
      event.preventDefault();
      handle({ kind: "open" }, index);
    }
  };

  return (
    <div
      role={isTree ? "treegrid" : "grid"}
      aria-label="Runs"
      aria-rowcount={count + 1}
      aria-multiselectable
      ref={frame}
      data-columns={template === null ? undefined : hasFacts ? "facts" : "plain"}
      style={template === null ? undefined : ({ "--columns": template } as object)}
      className={layout.frame}
    >
      <TableHead
        columns={columns}
        sort={sort}
        onSort={onSort}
        total={totalRuns}
        selected={selection.ids.size}
        onSelectAll={actions.selectAll}
        onClear={actions.clearSelection}
      />
      <div
        ref={place}
        role="rowgroup"
        className="relative"
        style={{ height: count * height }}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        {lines.map((index, i) => {
          const { run, group, isSeed, isOpen, index: place } = lineAt(index);
          const ids = group?.run_ids ?? (run ? [run.id] : []);
          return (
            <RunRow
              key={slotOf[i]}
              {...{ run, group, isSeed, isOpen, isTree }}
              index={index}
              top={index * height}
              pinned={place < training}
              selected={ids.filter((id) => selection.ids.has(id)).length}
              current={index === current}
              algorithmName={algorithmName}
              passing={fast}
              cards={cards}
              now={now}
              columns={columns}
              values={values}
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

/** The columns of the table: the standard ones, or those that were chosen and fit. Cards have the standard ones. */
function useColumns(cards: boolean) {
  const choice = useStore(columnChoice);
  const [width, setWidth] = useState(0);
  const isChosen = choice !== null && !cards;
  // External system: the size of the table.
  const frame = useCallback(
    (element: HTMLDivElement | null) => {
      if (!element || !isChosen) return;
      const observer = new ResizeObserver(() => setWidth(element.clientWidth));
      observer.observe(element);
      setWidth(element.clientWidth);
      return () => observer.disconnect();
    },
    [isChosen],
  );
  const shown = useMemo(() => {
    if (!isChosen) return STANDARD_TABLE;
    const columns = fittingColumns(choice, width);
    return {
      columns,
      extras: columns.filter((column) => !isStandard(column)),
      template: gridTemplate(columns, choice),
      hasFacts: !columns.includes("algo") && !columns.includes("env_id"),
    };
  }, [choice, isChosen, width]);
  return { frame, ...shown };
}

const STANDARD_TABLE = { columns: STANDARD, extras: [], template: null, hasFacts: false } as const;

function lineOf(target: HTMLElement): number | null {
  const row = target.closest<HTMLElement>("[data-index]");
  return row ? Number(row.dataset.index) : null;
}

function buttonOf(body: HTMLElement | null, index: number): HTMLElement {
  const row = body?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  return row?.querySelector<HTMLElement>('[data-act="menu"]') ?? row ?? document.body;
}

/** Below this width rows are shown as cards. layout.module.css repeats the value. */
const CARDS = "(max-width: 47.99rem)";

/**
 * Height of a row in pixels. layout.module.css repeats it. It is fixed, so that nothing moves while rows
 * load.
 */
const ROW_HEIGHT = { table: 44, cards: 140 } as const;
