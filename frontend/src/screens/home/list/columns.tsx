import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useRef, useState } from "react";
import { type MetricRegistry, useMetricRegistry } from "@/api/metric-registry";
import { type Sort, sortedBy, type SortKey } from "@/api/run-filter";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import {
  changeColumns,
  columnChoice,
  extraTitle,
  isStandard,
  metricOf,
  movedColumn,
  NARROWEST,
  resizedColumn,
  STANDARD_CHOICE,
  type StandardColumn,
  WIDEST,
  widthOf,
} from "./column-choice";
import layout from "./layout.module.css";
import { MOST_SELECTED } from "./selection";

interface TableColumn {
  title: string;
  /** The key that the column sorts by; null if it cannot be sorted by. */
  sort: SortKey | null;
  /** When the column is shown: always, on `roomy` screens, or only on `wide` ones. */
  shown?: "wide" | "roomy";
  /** Its place in a card on a phone; without one, the card leaves it out. */
  area?: "name" | "status" | "progress" | "best" | "spark";
  end?: boolean;
  /** Width of the placeholder bar while the row loads. */
  bar?: string;
  /** What the column shows, if the title does not say it. */
  about?: string;
}

export const NAME: TableColumn = { title: "Name", sort: "name", area: "name" };

export const COLUMNS: Readonly<Record<StandardColumn, TableColumn>> = {
  algo: { title: "Algorithm", sort: "algo", shown: "wide", bar: "w-8" },
  env_id: { title: "Environment", sort: "env_id", shown: "wide", bar: "w-20" },
  preset: { title: "Preset", sort: "preset", shown: "wide", bar: "w-12" },
  status: { title: "Status", sort: "status", area: "status", bar: "w-16" },
  progress: { title: "Progress", sort: "step", area: "progress", bar: "w-full" },
  best: {
    ...{ title: "Best average", sort: "best_moving_average", area: "best", end: true },
    bar: "w-10",
  },
  trend: { title: "Trend", sort: null, shown: "roomy", area: "spark", bar: "w-full" },
  age: { title: "Age", sort: "created_at", shown: "roomy", end: true, bar: "w-10" },
};

/** The column with an id, also if it is not standard. */
export function columnOf(id: string, registry: MetricRegistry): TableColumn {
  if (isStandard(id)) return COLUMNS[id];
  const metric = metricOf(id);
  return {
    title: extraTitle(id, (name) => registry.get(name).label),
    sort: id,
    end: true,
    bar: "w-10",
    about: metric === null ? id : `Newest value of ${metric}`,
  };
}

interface TableHeadProps {
  /** Ids of the columns after the name. */
  columns: readonly string[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  total: number;
  selected: number;
  onSelectAll: () => void;
  onClear: () => void;
}

export function TableHead(props: TableHeadProps) {
  const { columns, sort, onSort, total, selected, onSelectAll, onClear } = props;
  const registry = useMetricRegistry();
  return (
    <div role="rowgroup" className={clsx(layout.head, "sticky top-13 z-2")}>
      <div
        role="row"
        aria-rowindex={1}
        className={clsx(layout.line, "h-8 border-b border-line bg-sunken text-xs text-ink-soft")}
      >
        <div role="columnheader">
          <label className="grid size-7 place-items-center">
            <input
              type="checkbox"
              aria-label={selected > 0 ? "Clear the selection" : selectAll(total)}
              checked={selected > 0 && selected >= total}
              ref={(box) => {
                if (box) box.indeterminate = selected > 0 && selected < total;
              }}
              onChange={selected > 0 ? onClear : onSelectAll}
              className="size-4 accent-accent"
            />
          </label>
        </div>
        <Heading column={NAME} sort={sort} onSort={onSort} />
        {columns.map((id) => (
          <Heading key={id} id={id} column={columnOf(id, registry)} sort={sort} onSort={onSort} />
        ))}
        <div role="columnheader">
          <span className="sr-only">Actions</span>
        </div>
      </div>
    </div>
  );
}

function selectAll(total: number): string {
  const which = total > MOST_SELECTED ? `the first ${count(MOST_SELECTED)}` : `all ${count(total)}`;
  return `Select ${which} runs`;
}

interface HeadingProps {
  /** Of a column that can be moved and resized. */
  id?: string;
  column: TableColumn;
  sort: Sort;
  onSort: (sort: Sort) => void;
}

const DRAGGED = "application/x-rlviz-column";

/** A title. It is dragged, or moved with Shift and an arrow key, and sorts when it is pressed. */
function Heading({ id, column, sort, onSort }: HeadingProps) {
  const [target, setTarget] = useState(false);
  const sorted = column.sort !== null && column.sort === sort.key;
  const Arrow = sort.descending ? ArrowDown : ArrowUp;
  const by = column.sort;
  const move = (event: KeyboardEvent) => {
    const places = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!id || !places || !event.shiftKey) return;
    event.preventDefault();
    changeColumns((choice) => movedColumn(choice, id, places));
  };
  const drag = id && {
    draggable: true,
    onDragStart: (event: DragEvent) => event.dataTransfer.setData(DRAGGED, id),
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      setTarget(true);
    },
    onDragLeave: () => setTarget(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setTarget(false);
      const dragged = event.dataTransfer.getData(DRAGGED);
      changeColumns((choice) => movedColumn(choice, dragged, id));
    },
  };
  return (
    <div
      role="columnheader"
      aria-sort={
        by ? (sorted ? (sort.descending ? "descending" : "ascending") : "none") : undefined
      }
      aria-label={column.title}
      title={column.about}
      {...drag}
      className={clsx(
        "relative min-w-0",
        column.shown && layout[column.shown],
        target && "bg-accent-tint",
      )}
    >
      <button
        type="button"
        aria-keyshortcuts={id && "Shift+ArrowLeft Shift+ArrowRight"}
        onClick={() => by && onSort(sortedBy(sort, by))}
        onKeyDown={move}
        className={clsx(
          "-mx-1 flex h-6 max-w-full items-center gap-0.5 rounded-sm px-1 transition-colors hover:text-ink",
          column.end && "ml-auto",
          !by && "cursor-default",
          sorted && "font-medium text-ink",
        )}
      >
        <span className="truncate">{column.title}</span>
        {sorted && <Arrow aria-hidden className="size-3 shrink-0" />}
      </button>
      {id && <WidthHandle id={id} title={column.title} />}
    </div>
  );
}

/** Pixels by which an arrow key changes a width. */
const STEP = 8;

/** The edge of a title, which sets the width of its column: dragged, or with the arrow keys. */
function WidthHandle({ id, title }: { id: string; title: string }) {
  const from = useRef<{ x: number; width: number } | null>(null);
  const handle = useRef<HTMLDivElement>(null);
  const shown = () => handle.current?.parentElement?.getBoundingClientRect().width ?? 0;
  const set = (width: number) => changeColumns((choice) => resizedColumn(choice, id, width));
  return (
    <div
      ref={handle}
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${title}`}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      aria-valuenow={Math.round(widthOf(id, useStore(columnChoice) ?? STANDARD_CHOICE))}
      tabIndex={0}
      draggable
      onDragStart={(event) => {
        event.preventDefault(); // it would drag the title
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        from.current = { x: event.clientX, width: shown() };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (from.current) set(from.current.width + event.clientX - from.current.x);
      }}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
      onKeyDown={({ key }) => {
        if (key === "ArrowLeft") set(shown() - STEP);
        if (key === "ArrowRight") set(shown() + STEP);
      }}
      className="absolute inset-y-0 -right-2.5 w-2.5 cursor-col-resize touch-none after:absolute after:inset-y-1 after:left-1 after:w-px after:bg-line-strong after:opacity-0 hover:after:opacity-100 focus-visible:after:opacity-100"
    />
  );
}
