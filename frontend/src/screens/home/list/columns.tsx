import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type Sort, sortedBy, type SortKey } from "@/api/run-filter";
import { count } from "@/lib/number";
import layout from "./layout.module.css";
import { MOST_SELECTED } from "./selection";

interface TableColumn {
  title: string;
  /** The key that the column sorts by; null if it cannot be sorted by. */
  sort: SortKey | null;
  /** When the column is shown: always, on `roomy` screens, or only on `wide` ones. */
  shown?: "wide" | "roomy";
  /** Its place in a card, on a phone; without one it is left out there. */
  area?: "name" | "status" | "progress" | "best" | "spark";
  end?: boolean;
  /** Width of the bar that stands for its content while the row loads. */
  bar?: string;
}

export const COLUMNS: readonly TableColumn[] = [
  { title: "Name", sort: "name", area: "name" },
  { title: "Algorithm", sort: "algo", shown: "wide", bar: "w-8" },
  { title: "Environment", sort: "env_id", shown: "wide", bar: "w-20" },
  { title: "Preset", sort: "preset", shown: "wide", bar: "w-12" },
  { title: "Status", sort: "status", area: "status", bar: "w-16" },
  { title: "Progress", sort: "step", area: "progress", bar: "w-full" },
  { title: "Best average", sort: "best_moving_average", area: "best", end: true, bar: "w-10" },
  { title: "Trend", sort: null, shown: "roomy", area: "spark", bar: "w-full" },
  { title: "Age", sort: "created_at", shown: "roomy", end: true, bar: "w-10" },
];

interface TableHeadProps {
  sort: Sort;
  onSort: (sort: Sort) => void;
  total: number;
  selected: number;
  onSelectAll: () => void;
  onClear: () => void;
}

export function TableHead({ sort, onSort, total, selected, onSelectAll, onClear }: TableHeadProps) {
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
        {COLUMNS.map((column) => (
          <Heading key={column.title} column={column} sort={sort} onSort={onSort} />
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
  column: TableColumn;
  sort: Sort;
  onSort: (sort: Sort) => void;
}

function Heading({ column, sort, onSort }: HeadingProps) {
  const sorted = column.sort === sort.key;
  const Arrow = sort.descending ? ArrowDown : ArrowUp;
  const by = column.sort;
  return (
    <div
      role="columnheader"
      aria-sort={
        by ? (sorted ? (sort.descending ? "descending" : "ascending") : "none") : undefined
      }
      className={clsx(
        "min-w-0",
        column.shown && layout[column.shown],
        column.end && "flex justify-end",
      )}
    >
      {by ? (
        <button
          type="button"
          onClick={() => onSort(sortedBy(sort, by))}
          className={clsx(
            "-mx-1 flex h-6 max-w-full items-center gap-0.5 rounded-sm px-1 transition-colors hover:text-ink",
            sorted && "font-medium text-ink",
          )}
        >
          <span className="truncate">{column.title}</span>
          {sorted && <Arrow aria-hidden className="size-3 shrink-0" />}
        </button>
      ) : (
        column.title
      )}
    </div>
  );
}
