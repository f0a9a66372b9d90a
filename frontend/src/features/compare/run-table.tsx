import clsx from "clsx";
import type { ReactNode } from "react";
import type { SeriesStyles } from "./series-styles";
import { Swatch } from "./swatch";

interface RunTableProps {
  /** Accessible name of the scrolling table. */
  label: string;
  /** Title of the first column, which names the rows. */
  heading: string;
  /** Classes of the cells in the first column. It stays visible while the columns of many runs scroll. */
  nameClass: string;
  /** `id`: that of the run whose series it is marked by. */
  columns: readonly { id: string; label: string }[];
  seriesStyles: SeriesStyles;
  className?: string;
  /** The rows. */
  children: ReactNode;
}

/** Classes that keep the first column in view. */
export const stickyClass = "sticky left-0 bg-surface px-4 py-2";

/** A table with a column for each compared run, or for several together, which scrolls sideways. */
export function RunTable(props: RunTableProps) {
  const { label, heading, nameClass, columns, seriesStyles, className, children } = props;
  return (
    <div
      role="group"
      tabIndex={0}
      aria-label={label}
      className={clsx("overflow-x-auto -outline-offset-2!", className)}
    >
      <table className="w-full border-collapse tabular-nums">
        <thead>
          <tr className="text-left text-xs text-ink-faint">
            <th scope="col" className={clsx(nameClass, "font-medium")}>
              {heading}
            </th>
            {columns.map(({ id, label: title }) => (
              <th key={id} scope="col" className="max-w-48 min-w-32 px-4 py-2 font-medium">
                <span className="flex items-center gap-2">
                  <Swatch seriesStyle={seriesStyles.get(id)} />
                  <span title={title} className="truncate text-ink">
                    {title}
                  </span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
